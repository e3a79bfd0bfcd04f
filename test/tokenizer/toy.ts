import { CHAR_OF_BYTE } from "../../src/tokenizer/bpe/byteAlphabet.ts";
import { PATTERNS, type PatternName } from "../../src/tokenizer/pretokenizers/patterns.ts";

export interface ToyOptions {
  /** `"left right"` in the byte alphabet, in order of rank. */
  readonly merges?: readonly string[];
  readonly pattern?: PatternName;
  readonly normalizer?: object | null;
  readonly ignoreMerges?: boolean;
  readonly added?: readonly (string | object)[];
}

const split = (regex: string) => ({ type: "Split", pattern: { Regex: regex }, behavior: "Isolated", invert: false });

/** The parsed tokenizer.json of a vocabulary of single bytes and a few merges. */
export function toyJson({ merges = [], pattern = "qwen2", normalizer = null, ignoreMerges, added = [] }: ToyOptions) {
  const vocab: Record<string, number> = {};
  for (const entry of [...CHAR_OF_BYTE, ...merges.map((merge) => merge.replace(" ", ""))]) {
    vocab[entry] ??= Object.keys(vocab).length;
  }
  const first = Object.keys(vocab).length;
  return {
    added_tokens: added.map((token, index) => ({
      id: first + index,
      special: true,
      normalized: false,
      ...(typeof token === "string" ? { content: token } : token),
    })),
    normalizer,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        ...PATTERNS[pattern].regexes.map(split),
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: "BPE", dropout: null, unk_token: null, ignore_merges: ignoreMerges ?? false, vocab, merges },
  };
}

/** Merging as the definition has it, for bytes spelled in the byte alphabet. */
export function naiveMerge(spelling: string, merges: readonly string[]): string[] {
  const ranks = new Map(merges.map((merge, rank) => [merge, rank]));
  const symbols = [...spelling];
  for (;;) {
    let best = Number.POSITIVE_INFINITY;
    let at = -1;
    for (let index = 0; index + 1 < symbols.length; index++) {
      const rank = ranks.get(`${symbols[index]} ${symbols[index + 1]}`) ?? Number.POSITIVE_INFINITY;
      if (rank < best) {
        best = rank;
        at = index;
      }
    }
    if (at < 0) return symbols;
    symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
  }
}
