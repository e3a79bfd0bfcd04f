// A pre-tokenizer that is only nearly known would give ids that are only nearly right, so JSON is compared whole.
import { PATTERN_NAMES, PATTERNS, type PatternName } from "./patterns.ts";

type Json = unknown;

/** JSON text with sorted keys, without `trim_offsets`, which moves offsets and never ids. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([key]) => key !== "trim_offsets")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

const byteLevel = (useRegex: boolean): Json => ({ type: "ByteLevel", add_prefix_space: false, use_regex: useRegex });

const split = (regex: string): Json => ({
  type: "Split",
  pattern: { Regex: regex },
  behavior: "Isolated",
  invert: false,
});

const known: ReadonlyMap<string, PatternName> = new Map([
  [canonical(byteLevel(true)), "gpt2"],
  ...PATTERN_NAMES.map((name): [string, PatternName] => [
    canonical({ type: "Sequence", pretokenizers: [...PATTERNS[name].regexes.map(split), byteLevel(false)] }),
    name,
  ]),
]);

/** The pattern that a `pre_tokenizer` value of a `tokenizer.json` is, or undefined if it is none of the known ones. */
export function matchPreTokenizer(json: Json): PatternName | undefined {
  return known.get(canonical(json));
}

/** `"nfc"`, `"none"`, or undefined for any other `normalizer` value of a `tokenizer.json`. */
export function matchNormalizer(json: Json): "nfc" | "none" | undefined {
  switch (canonical(json ?? null)) {
    case "null":
    case '{"normalizers":[],"type":"Sequence"}':
      return "none";
    case '{"type":"NFC"}':
    case '{"normalizers":[{"type":"NFC"}],"type":"Sequence"}':
      return "nfc";
    default:
      return undefined;
  }
}

/** Whether a `decoder` value of a `tokenizer.json` only undoes the byte alphabet. */
export function isByteLevelDecoder(json: Json): boolean {
  const decoder = json as { type?: unknown; decoders?: readonly Json[] } | null | undefined;
  if (decoder?.type === "Sequence") return decoder.decoders?.length === 1 && isByteLevelDecoder(decoder.decoders[0]);
  return decoder?.type === "ByteLevel";
}
