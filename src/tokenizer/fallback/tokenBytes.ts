import { bytesOfSpelling, CHAR_OF_BYTE } from "../bpe/byteAlphabet.ts";
import { isByteLevelDecoder } from "../pretokenizers/allowList.ts";

// A tokenizer can be used if the bytes of its ids, put one after the other, are the bytes of the text that it encodes.
// Two kinds of pipeline promise that: the byte alphabet, and Metaspace with byte fallback.

interface Part {
  readonly type?: unknown;
  readonly normalizers?: readonly Part[];
  readonly pretokenizers?: readonly Part[];
  readonly decoders?: readonly Part[];
  readonly behavior?: unknown;
  readonly add_prefix_space?: unknown;
  readonly pattern?: { readonly String?: unknown };
  readonly content?: unknown;
}

export interface TokenizerFile {
  readonly model?: { readonly type?: unknown; readonly byte_fallback?: unknown };
  readonly normalizer?: Part | null;
  readonly pre_tokenizer?: Part | null;
  readonly decoder?: Part | null;
}

/** How the entries of a vocabulary stand for bytes. */
export interface TokenSpelling {
  bytesOf(entry: string): Uint8Array;
  /** The text that the normaliser's output stands for. */
  readable(normalized: string): string;
  /** Entries without which some text would be lost. */
  readonly required: readonly string[];
}

/** The spelling of a tokenizer, or the reason why the bytes of its ids cannot be known. */
export function tokenSpelling(file: TokenizerFile): TokenSpelling | string {
  const normalizers = flatten(file.normalizer, "normalizers");
  const preTokenizers = flatten(file.pre_tokenizer, "pretokenizers");
  const adding = normalizers.find(({ type }) => type === "Prepend" || type === "Strip" || type === "Precompiled");
  if (adding !== undefined) return `normalizer ${adding.type}`;
  const losing = preTokenizers.find((part) => !keepsText(part));
  if (losing !== undefined) return `pre-tokenizer ${losing.type}`;
  if (isByteLevelDecoder(file.decoder)) {
    return preTokenizers.at(-1)?.type === "ByteLevel" ? byteAlphabet : "a decoder ByteLevel without its pre-tokenizer";
  }
  const decoders = flatten(file.decoder, "decoders");
  const isMetaspace =
    decoders.map(({ type }) => type).join() === "Replace,ByteFallback,Fuse" &&
    isReplace(decoders[0], METASPACE, " ") &&
    normalizers.length === 1 &&
    isReplace(normalizers[0], " ", METASPACE) &&
    file.model?.byte_fallback === true;
  if (isMetaspace) return metaspace;
  return `decoder ${decoders.map(({ type }) => type).join(" + ") || "null"}`;
}

const METASPACE = "▁";

const byteAlphabet: TokenSpelling = {
  bytesOf: (entry) => bytesOfSpelling(entry) ?? Buffer.from(entry, "utf8"),
  readable: (normalized) => normalized,
  required: CHAR_OF_BYTE,
};

const byteEntry = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

const metaspace: TokenSpelling = {
  bytesOf: (entry) =>
    /^<0x[0-9A-F]{2}>$/.test(entry)
      ? Uint8Array.of(Number.parseInt(entry.slice(3, 5), 16))
      : Buffer.from(entry.replaceAll(METASPACE, " "), "utf8"),
  readable: (normalized) => normalized.replaceAll(METASPACE, " "),
  required: Array.from({ length: 256 }, (_, byte) => byteEntry(byte)),
};

function flatten(part: Part | null | undefined, key: "normalizers" | "pretokenizers" | "decoders"): readonly Part[] {
  if (part === null || part === undefined) return [];
  if (part.type !== "Sequence") return [part];
  return (part[key] ?? []).flatMap((each) => flatten(each, key));
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

function isReplace(part: Part | undefined, from: string, to: string): boolean {
  return part?.type === "Replace" && part.pattern?.String === from && part.content === to;
}
