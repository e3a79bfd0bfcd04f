/** Strings of a metadata array, kept as bytes: a vocabulary has 150,000 of them and most are never wanted as text. */
export interface GgufStrings {
  readonly kind: "strings";
  readonly length: number;
  /** UTF-8 of all items; item i is `bytes.subarray(starts[i], ends[i])`. */
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export type GgufNumbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array
  | BigInt64Array;

/**
 * A metadata value. 64-bit integers are numbers where they are exact, else bigints; an array of booleans is a
 * `Uint8Array` of 0 and 1; an array of arrays is a plain array.
 */
export type GgufValue = string | number | bigint | boolean | GgufNumbers | GgufStrings | readonly GgufValue[];

export interface GgufTensor {
  readonly name: string;
  /** Fastest-changing dimension first. */
  readonly dimensions: readonly number[];
  /** ggml's number of the element type. */
  readonly type: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
}

export interface GgufHeader {
  readonly version: 2 | 3;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

/** Item i of a metadata array of strings. */
export function ggufString(strings: GgufStrings, index: number): string {
  const { bytes, starts, ends } = strings;
  const start = starts[index];
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, ends[index] - start).toString("utf8");
}
