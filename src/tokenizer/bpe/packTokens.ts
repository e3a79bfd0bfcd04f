import { invalidVocabulary } from "./invalid.ts";
import { type BpeTables, MAX_VOCAB_SIZE } from "./tables.ts";

/** Room that copies of four bytes at a time may read beyond the last token. */
export const TOKEN_PADDING = 8;

/** The part of the tables that a decoder needs, of any vocabulary. */
export type TokenTables = Pick<BpeTables, "vocabSize" | "tokenBytes" | "tokenOffsets">;

/** Throws `tokenizer_invalid` for a vocabulary that is too large for its ids to be told apart. */
export function packTokens(vocabSize: number, bytesOf: (id: number) => Uint8Array | undefined): TokenTables {
  if (vocabSize > MAX_VOCAB_SIZE) throw invalidVocabulary(`it has ids above ${MAX_VOCAB_SIZE - 1}`);
  const tokens = Array.from({ length: vocabSize }, (_, id) => bytesOf(id));
  const size = tokens.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
  const tokenBytes = new Uint8Array(size + TOKEN_PADDING);
  const tokenOffsets = new Int32Array(vocabSize + 1);
  let end = 0;
  tokens.forEach((bytes, id) => {
    if (bytes !== undefined) tokenBytes.set(bytes, end);
    end += bytes?.length ?? 0;
    tokenOffsets[id + 1] = end;
  });
  return { vocabSize, tokenBytes, tokenOffsets };
}
