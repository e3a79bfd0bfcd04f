import { CHAR_OF_BYTE, spellingOfBytes } from "../../src/tokenizer/bpe/byteAlphabet.ts";

/** A vocabulary as a GGUF has it. Ids are places in `tokens`. */
export interface TinyVocabulary {
  /** `tokenizer.ggml.model`: byte-level BPE or SentencePiece. */
  readonly model: "gpt2" | "llama";
  /** `tokenizer.ggml.pre`. */
  readonly pre: string;
  readonly tokens: readonly string[];
  /** `tokenizer.ggml.token_type`, by id. */
  readonly types: readonly number[];
  /** SentencePiece: the higher, the earlier a piece is made. */
  readonly scores?: readonly number[];
  /** Byte-level BPE, in order of rank. */
  readonly merges?: readonly string[];
  readonly bosId?: number;
  readonly eosId?: number;
  readonly unknownId?: number;
}

export interface TinyVocabularyOptions {
  /** Texts that are one token, when they stand alone. Default: some words of chats and the letters of JSON. */
  readonly words?: readonly string[];
  /** Control tokens. */
  readonly special?: readonly string[];
  /** Tokens matched in text that are no control tokens. */
  readonly markers?: readonly string[];
  /** One of the tokens above, or for SentencePiece `<s>` (default). */
  readonly bos?: string;
  /** One of the tokens above, or for SentencePiece `</s>` (default). */
  readonly eos?: string;
}

const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;
const BYTE = 6;

const WORDS = ["user", "assistant", "system", " the", " is", "name", "arguments", " you", '":', '{"', "\n\n"];

/** All bytes, the words, then the special tokens and the markers. `pre` is one of the names in `GGUF_PRE_TOKENIZERS`. */
export function byteLevelVocabulary({
  pre = "qwen2",
  words = WORDS,
  special = [],
  markers = [],
  bos,
  eos,
}: TinyVocabularyOptions & { readonly pre?: string } = {}): TinyVocabulary {
  const merges = new Set<string>();
  const pieces = new Set(CHAR_OF_BYTE);
  for (const word of words) {
    const [first, ...rest] = spellingOfBytes(Buffer.from(word));
    rest.reduce((left, right) => {
      merges.add(`${left} ${right}`);
      pieces.add(left + right);
      return left + right;
    }, first ?? "");
  }
  const tokens = [...pieces, ...special, ...markers];
  return {
    model: "gpt2",
    pre,
    tokens,
    types: [...pieces].map(() => NORMAL).concat(ownTypes(special, markers)),
    merges: [...merges],
    ...(bos !== undefined && { bosId: idOf(tokens, bos) }),
    ...(eos !== undefined && { eosId: idOf(tokens, eos) }),
  };
}

/** `<unk>`, `<s>`, `</s>`, all bytes, printable ASCII, the words, then the special tokens and the markers. */
export function sentencePieceVocabulary({
  words = WORDS,
  special = [],
  markers = [],
  bos = "<s>",
  eos = "</s>",
}: TinyVocabularyOptions = {}): TinyVocabulary {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const characters = Array.from({ length: 95 }, (_, index) => (index === 0 ? "▁" : String.fromCharCode(32 + index)));
  const pieces = new Set(characters);
  for (const word of words) {
    const spelled = [...word.replaceAll(" ", "▁")];
    spelled.forEach((_, index) => {
      pieces.add(spelled.slice(0, index + 1).join(""));
    });
  }
  const tokens = ["<unk>", "<s>", "</s>", ...bytes, ...pieces, ...special, ...markers];
  const own = ownTypes(special, markers);
  return {
    model: "llama",
    pre: "default",
    tokens,
    types: [UNKNOWN, CONTROL, CONTROL, ...bytes.map(() => BYTE), ...[...pieces].map(() => NORMAL), ...own],
    scores: [0, 0, 0, ...bytes.map(() => 0), ...[...pieces].map((_, rank) => -rank), ...own.map(() => 0)],
    bosId: idOf(tokens, bos),
    eosId: idOf(tokens, eos),
    unknownId: 0,
  };
}

const ownTypes = (special: readonly string[], markers: readonly string[]): number[] => [
  ...special.map(() => CONTROL),
  ...markers.map(() => USER_DEFINED),
];

function idOf(tokens: readonly string[], token: string): number {
  const id = tokens.lastIndexOf(token);
  if (id < 0) throw new Error(`the tiny vocabulary has no ${token}`);
  return id;
}
