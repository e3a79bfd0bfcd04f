import { decodeUtf8 } from "../gbnf/utf8Decoder.ts";

/** Ids that write parts of characters. */
export interface IllFormedIds {
  /** What these write is in no text: llama.cpp's grammars also take bytes that UTF-8 does not have. */
  readonly never: readonly number[];
  /** These go on with a character that another id begins. */
  readonly continuing: readonly number[];
}

/** Looks at every id of a vocabulary, once for a model. */
export function illFormedIds(bytesOf: (id: number) => Uint8Array, vocabSize: number): IllFormedIds {
  const never: number[] = [];
  const continuing: number[] = [];
  for (let id = 0; id < vocabSize; id++) {
    const bytes = bytesOf(id);
    if (bytes.every((byte) => byte < 0x80)) continue;
    let start = 0;
    while (start < 3 && isContinuation(bytes[start])) start++;
    if (decodeUtf8(bytes.subarray(start), null) === null) never.push(id);
    else if (start > 0) continuing.push(id);
  }
  return { never, continuing };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
