import type { Tokenizer } from "../../tokenizer/types.ts";

/**
 * Which of these ids holds a character of the text that they end with, by its UTF-16 index. Bytes that are no UTF-8 count as
 * the replacement characters that they were read as, so that a place before them may be off; it is always one of the ids.
 */
export function tokenPlaces(text: string, ids: Int32Array, tokenizer: Tokenizer): (at: number) => number {
  const ends = new Array<number>(ids.length);
  let size = 0;
  ids.forEach((id, index) => {
    const isKnown = id >= 0 && id < tokenizer.vocabSize;
    size += isKnown ? tokenizer.byteLength(id) : REPLACEMENT_BYTES;
    ends[index] = size;
  });
  const start = size - Buffer.byteLength(text);
  // Asked for from left to right, so that no byte is counted twice.
  let read = 0;
  let byte = start;
  let token = 0;
  return (at) => {
    byte += Buffer.byteLength(text.slice(read, at));
    read = Math.max(read, at);
    while (token < ids.length - 1 && ends[token] <= byte) token++;
    return token;
  };
}

const REPLACEMENT_BYTES = 3;
