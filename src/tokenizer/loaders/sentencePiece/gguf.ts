import { TitoError } from "../../../errors.ts";
import { type GgufStrings, type GgufValue, ggufString } from "../../../models/gguf/types.ts";
import { NORMAL, type Piece, type SentencePieceModel } from "./model.ts";

/** `tokenizer.ggml.model` of a SentencePiece vocabulary of the type BPE. */
export const GGUF_SENTENCE_PIECE = "llama";

/**
 * The SentencePiece model in a GGUF's metadata. The types of pieces are numbered as in the model itself; its rules of
 * normalisation are not in the file, and llama.cpp has none.
 *
 * @throws TitoError `tokenizer_invalid`
 */
export function ggufSentencePieces(metadata: ReadonlyMap<string, GgufValue>, tokens: GgufStrings): SentencePieceModel {
  const scores = metadata.get("tokenizer.ggml.scores");
  const types = metadata.get("tokenizer.ggml.token_type");
  if (!(scores instanceof Float32Array) || scores.length !== tokens.length) throw invalid("tokenizer.ggml.scores");
  if (types !== undefined && !(types instanceof Int32Array && types.length === tokens.length))
    throw invalid("tokenizer.ggml.token_type");
  const pieces = Array.from(
    scores,
    (score, id): Piece => ({ text: ggufString(tokens, id), score, type: types?.[id] ?? NORMAL }),
  );
  const idAt = (key: string): number => {
    const id = metadata.get(key);
    return typeof id === "number" ? id : -1;
  };
  return {
    pieces,
    bosId: idAt("tokenizer.ggml.bos_token_id"),
    eosId: idAt("tokenizer.ggml.eos_token_id"),
    charsMap: new Uint8Array(),
    addDummyPrefix: metadata.get("tokenizer.ggml.add_space_prefix") !== false,
    removeExtraWhitespaces: false,
  };
}

function invalid(key: string): TitoError {
  return new TitoError(
    "tokenizer_invalid",
    `This GGUF's vocabulary is damaged: it has no ${key} for each of its tokens. Convert the model again.`,
    { details: { key } },
  );
}
