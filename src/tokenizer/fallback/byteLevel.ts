import { flattenParts, type Part, type TokenizerFile } from "../loaders/parts.ts";
import { isByteLevelDecoder } from "../pretokenizers/allowList.ts";

/**
 * Why a tokenizer's ids cannot be used by their bytes, or undefined where they can: the bytes of its ids, put one after the
 * other, must be the bytes of the text that it encodes. The byte alphabet promises that, if nothing adds or drops text.
 */
export function whyNotByteLevel(file: TokenizerFile): string | undefined {
  const normalizers = flattenParts(file.normalizer, "normalizers");
  const preTokenizers = flattenParts(file.pre_tokenizer, "pretokenizers");
  const adding = normalizers.find(({ type }) => type === "Prepend" || type === "Strip" || type === "Precompiled");
  if (adding !== undefined) return `normalizer ${adding.type}`;
  const losing = preTokenizers.find((part) => !keepsText(part));
  if (losing !== undefined) return `pre-tokenizer ${losing.type}`;
  if (isByteLevelDecoder(file.decoder)) {
    return preTokenizers.at(-1)?.type === "ByteLevel" ? undefined : "decoder ByteLevel without its pre-tokenizer";
  }
  const decoders = flattenParts(file.decoder, "decoders");
  return `decoder ${decoders.map(({ type }) => type).join(" + ") || "null"}`;
}

function keepsText({ type, behavior, add_prefix_space }: Part): boolean {
  switch (type) {
    case "Split":
      return behavior !== "Removed";
    case "Punctuation":
      return behavior === undefined || behavior !== "Removed";
    case "ByteLevel":
      return add_prefix_space === false;
    case "Digits":
      return true;
    default:
      return false;
  }
}
