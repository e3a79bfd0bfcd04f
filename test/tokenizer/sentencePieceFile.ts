/** A piece of a model: text, score and type (1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte). */
export type PieceSpec = readonly [text: string, score?: number, type?: number];

export interface ModelSpec {
  readonly pieces?: readonly PieceSpec[];
  /** 1 unigram, 2 BPE. */
  readonly modelType?: number;
  readonly addDummyPrefix?: boolean;
  readonly removeExtraWhitespaces?: boolean;
  readonly escapeWhitespaces?: boolean;
  readonly suffixes?: boolean;
  readonly charsMap?: Uint8Array;
}

export const bytePieces: readonly PieceSpec[] = Array.from({ length: 256 }, (_, byte) => [
  `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  0,
  6,
]);

/** The pieces that every model here starts with: ids 0 to 258. */
export const basePieces: readonly PieceSpec[] = [["<unk>", 0, 2], ["<s>", 0, 3], ["</s>", 0, 3], ...bytePieces];

/** The bytes of a `tokenizer.model`. */
export function sentencePieceFile(spec: ModelSpec): Buffer {
  const { pieces = [], modelType = 2, addDummyPrefix = true, removeExtraWhitespaces = false } = spec;
  return Buffer.concat([
    ...[...basePieces, ...pieces].map(([text, score = 0, type = 1]) =>
      field(1, Buffer.concat([field(1, Buffer.from(text)), float(2, score), varint(3, type)])),
    ),
    field(2, Buffer.concat([varint(3, modelType), varint(24, spec.suffixes ? 1 : 0)])),
    field(
      3,
      Buffer.concat([
        field(2, spec.charsMap ?? Buffer.alloc(0)),
        varint(3, addDummyPrefix ? 1 : 0),
        varint(4, removeExtraWhitespaces ? 1 : 0),
        varint(5, spec.escapeWhitespaces === false ? 0 : 1),
      ]),
    ),
  ]);
}

function number(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const varint = (id: number, value: number): Buffer => Buffer.concat([number(id * 8), number(value)]);

const field = (id: number, value: Uint8Array): Buffer =>
  Buffer.concat([number(id * 8 + 2), number(value.length), value]);

function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([number(id * 8 + 5), bytes]);
}
