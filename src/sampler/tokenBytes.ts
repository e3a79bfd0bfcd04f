import { bytesOfSpelling, CHAR_OF_BYTE } from "../tokenizer/bpe/byteAlphabet.ts";

/** What a vocabulary's tokens write, as llama.cpp's grammars see it. */
export interface TokenBytes {
  readonly of: (id: number) => Uint8Array;
  /** A byte that texts have and that no token writes alone; undefined: every character can be written. */
  readonly missing: number | undefined;
}

/** GGUF's `tokenizer.ggml.token_type`. */
const types = { normal: 1, unused: 5, byte: 6 } as const;

/** Bytes that occur in UTF-8. Without U+0000, which llama.cpp's grammars never take. */
const textBytes = Array.from({ length: 0xf4 }, (_, i) => i + 1).filter((byte) => byte !== 0xc0 && byte !== 0xc1);

const hexByte = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

/** Reads the spellings of a GGUF's vocabulary, in GPT-2's byte alphabet or in SentencePiece's. */
export function tokenBytes(tokens: readonly string[], tokenTypes: readonly number[]): TokenBytes {
  const known = new Set(tokens);
  const isMetaspace = known.has(hexByte(0x80));
  const missing = textBytes.find((byte) => !known.has(isMetaspace ? hexByte(byte) : CHAR_OF_BYTE[byte]!));
  const encoder = new TextEncoder();
  return {
    missing,
    of(id) {
      const spelling = tokens[id] ?? "";
      const type = tokenTypes[id] ?? types.normal;
      if (type === types.unused) return new Uint8Array(0);
      if (type === types.byte && isMetaspace) return Uint8Array.of(Number.parseInt(spelling.slice(3, 5), 16));
      if (type !== types.normal) return encoder.encode(spelling);
      return isMetaspace
        ? encoder.encode(spelling.replaceAll("\u2581", " "))
        : (bytesOfSpelling(spelling) ?? encoder.encode(spelling));
    },
  };
}
