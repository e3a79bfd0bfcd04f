import { TitoError } from "../../../errors.ts";
import { type ProtoFields, readProto } from "./proto.ts";

// Fields and values of sentencepiece_model.proto.
export const NORMAL = 1;
export const UNKNOWN = 2;
export const CONTROL = 3;
export const USER_DEFINED = 4;
export const UNUSED = 5;
export const BYTE = 6;

const MODEL_TYPE_BPE = 2;

export interface Piece {
  readonly text: string;
  readonly score: number;
  /** One of the constants above. */
  readonly type: number;
}

/** A `tokenizer.model`, by what is read of it. */
export interface SentencePieceModel {
  /** By id. */
  readonly pieces: readonly Piece[];
  readonly bosId: number;
  readonly eosId: number;
  /** Rules of the normaliser, in the form of `compileCharsMap`; empty for the identity. */
  readonly charsMap: Uint8Array;
  readonly addDummyPrefix: boolean;
  readonly removeExtraWhitespaces: boolean;
}

/** Reads a BPE model. Throws `tokenizer_invalid`, and `tokenizer_unsupported` for options that no ids can be exact with. */
export function readSentencePieceModel(bytes: Uint8Array): SentencePieceModel {
  const fields = readProto(bytes);
  const trainer = message(fields, 2);
  const normalizer = message(fields, 3);
  const type = number(trainer, 3, 1);
  if (type !== MODEL_TYPE_BPE) {
    throw unsupported(`it is a ${["", "unigram", "BPE", "word", "character"][type] ?? "unknown"} model, not BPE`);
  }
  if (number(trainer, 24, 0) !== 0) throw unsupported("it spells blanks as suffixes");
  if (number(normalizer, 5, 1) === 0) throw unsupported("it does not escape blanks");
  const pieces = fields.filter(({ field }) => field === 1).map(({ value }) => readPiece(value));
  if (pieces.length === 0)
    throw new TitoError("tokenizer_invalid", "The SentencePiece model has no pieces. Check the file.");
  const unused = pieces.find((piece) => piece.type === UNUSED);
  if (unused !== undefined) throw unsupported(`its piece ${unused.text} is marked unused`);
  const charsMap = last(normalizer, 2);
  return {
    pieces,
    bosId: number(trainer, 41, 1),
    eosId: number(trainer, 42, 2),
    charsMap: charsMap instanceof Uint8Array ? charsMap : new Uint8Array(),
    addDummyPrefix: number(normalizer, 3, 1) !== 0,
    removeExtraWhitespaces: number(normalizer, 4, 1) !== 0,
  };
}

function readPiece(value: number | Uint8Array): Piece {
  const fields = message([{ field: 1, value }], 1);
  const text = last(fields, 1);
  return {
    text: text instanceof Uint8Array ? Buffer.from(text).toString("utf8") : "",
    score: number(fields, 2, 0),
    type: number(fields, 3, NORMAL),
  };
}

/** Of a field that is there more than once the last counts. */
const last = (fields: ProtoFields, field: number) => fields.findLast((each) => each.field === field)?.value;

/** A message that is there more than once is all of its fields together. */
function message(fields: ProtoFields, field: number): ProtoFields {
  return fields.flatMap((each) =>
    each.field === field && each.value instanceof Uint8Array ? readProto(each.value) : [],
  );
}

function number(fields: ProtoFields, field: number, otherwise: number): number {
  const value = last(fields, field);
  return typeof value === "number" ? value : otherwise;
}

export function unsupported(fact: string): TitoError {
  return new TitoError(
    "tokenizer_unsupported",
    `This SentencePiece model cannot be used: ${fact}. Use the model's tokenizer.json if it has one.`,
  );
}
