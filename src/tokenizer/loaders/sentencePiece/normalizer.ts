import { TitoError } from "../../../errors.ts";
import type { TokenTrie } from "../../addedTokens/tokenTrie.ts";
import { METASPACE } from "../../metaspace/spelling.ts";

/** What is read of a model here. `userDefined` are pieces that the rules leave alone. */
export interface NormalizerSource {
  readonly charsMap: Uint8Array;
  readonly removeExtraWhitespaces: boolean;
  readonly userDefined: TokenTrie;
}

/** The normaliser of a SentencePiece model: its rules, then white space. Undefined where it changes nothing. */
export function sentencePieceNormalizer(source: NormalizerSource): ((text: string) => string) | undefined {
  const { charsMap, removeExtraWhitespaces, userDefined } = source;
  const replaced = charsMap.length > 0 ? charsMapNormalizer(charsMap, userDefined) : undefined;
  if (!removeExtraWhitespaces) return replaced;
  return (text) => withoutExtraBlanks(replaced?.(text) ?? text);
}

/** A blank spelled `▁` in the text itself is dropped at the end only, as the library drops it. */
function withoutExtraBlanks(text: string): string {
  const joined = text.replace(/ {2,}/g, " ");
  let end = joined.length;
  while (end > 0 && (joined[end - 1] === " " || joined[end - 1] === METASPACE)) end--;
  return joined.slice(joined.startsWith(" ") && end > 0 ? 1 : 0, end);
}

/**
 * The rules are a double array (Darts) over UTF-8 bytes, whose values are places in a text of zero-terminated
 * replacements: its size in bytes, the array, the text. Of the rules that fit at a place the longest is applied.
 */
function charsMapNormalizer(charsMap: Uint8Array, kept: TokenTrie): (text: string) => string {
  const view = new DataView(charsMap.buffer, charsMap.byteOffset, charsMap.byteLength);
  const size = charsMap.length >= 4 ? view.getUint32(0, true) : 0;
  if (size === 0 || size % 4 !== 0 || 4 + size > charsMap.length) {
    throw new TitoError(
      "tokenizer_invalid",
      "The SentencePiece model's normalisation rules are damaged. Check the file.",
    );
  }
  const trie = Uint32Array.from({ length: size / 4 }, (_, index) => view.getUint32(4 + 4 * index, true));
  const replacements = Buffer.from(charsMap.subarray(4 + size));
  const replacementAt = (start: number): string =>
    replacements.toString("utf8", start, Math.max(start, replacements.indexOf(0, start)));
  return (text) => {
    const bytes = Buffer.from(text, "utf8");
    let result = "";
    let from = 0;
    let byte = 0;
    for (let index = 0; index < text.length; ) {
      const whole = kept.longestAt(text, index, text.length)?.end;
      const match = whole === undefined ? longestMatch(trie, bytes, byte) : undefined;
      if (match !== undefined) result += text.slice(from, index) + replacementAt(match.value);
      const length =
        match?.length ?? (whole === undefined ? utf8Width(bytes[byte]) : Buffer.byteLength(text.slice(index, whole)));
      // Four bytes are a surrogate pair.
      for (const end = byte + length; byte < end; byte += utf8Width(bytes[byte]))
        index += utf8Width(bytes[byte]) === 4 ? 2 : 1;
      if (match !== undefined) from = index;
    }
    return result + text.slice(from);
  };
}

const utf8Width = (first: number): number => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);

const offsetOf = (unit: number): number => (unit >>> 10) << ((unit & 0x200) >>> 6);

function longestMatch(
  trie: Uint32Array,
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly length: number } | undefined {
  let match: { value: number; length: number } | undefined;
  let node = offsetOf(trie[0]);
  for (let at = start; at < bytes.length; at++) {
    node ^= bytes[at];
    const unit = trie[node] ?? 0;
    if ((unit & 0x800000ff) >>> 0 !== bytes[at]) break;
    node ^= offsetOf(unit);
    if ((unit & 0x100) !== 0) match = { value: (trie[node] ?? 0) & 0x7fffffff, length: at + 1 - start };
  }
  return match;
}
