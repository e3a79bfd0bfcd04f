import { optionTemplates } from "../../../template/sources/layers.ts";
import { TokenTrie } from "../../addedTokens/tokenTrie.ts";
import { EngineTokenizer } from "../../engineTokenizer.ts";
import { harmlessCut } from "../../metaspace/cuts.ts";
import { MetaspaceEngine } from "../../metaspace/engine.ts";
import { readable } from "../../metaspace/spelling.ts";
import { buildMetaspaceTables } from "../../metaspace/tables.ts";
import type { AddedToken, Tokenizer } from "../../types.ts";
import { readAddedTokensDecoder } from "../addedTokens.ts";
import type { TokenizerConfig } from "../configValues.ts";
import { mergeMeta, type TokenizerOptions } from "../meta.ts";
import {
  CONTROL,
  type Piece,
  readSentencePieceModel,
  type SentencePieceModel,
  UNKNOWN,
  USER_DEFINED,
} from "./model.ts";
import { sentencePieceNormalizer } from "./normalizer.ts";
import { isNormal, isOneCharacter, readPieces } from "./vocabulary.ts";

export interface SentencePieceOptions extends TokenizerOptions {
  /** The value of `tokenizer_config.json`: its `added_tokens_decoder` adds to the model's own special pieces. */
  readonly config?: TokenizerConfig | undefined;
}

/**
 * Makes a tokenizer from a SentencePiece `tokenizer.model` of the type BPE with byte fallback. Ids are those of the
 * `sentencepiece` library; control pieces are added tokens, which that library never matches in text and chat templates need.
 * A user-defined piece of one character or of white space is vocabulary, which is found in every reading; any other is an
 * added token.
 *
 * The blank that the library puts before a text is put there on request only (`prefixSpace`), and never after an added
 * token: a conversation is many texts, and `legacy: false` of transformers does the same. Decoding keeps that blank.
 *
 * @throws TitoError `tokenizer_invalid` for a damaged file; `tokenizer_unsupported` for another type of model and for
 *   options that lose text; `token_missing`.
 * @example
 * const tokenizer = tokenizerFromSentencePiece(readFileSync("tokenizer.model"), { nameOrPath: "meta-llama/Llama-2-7b-chat-hf" });
 */
export function tokenizerFromSentencePiece(bytes: Uint8Array, options: SentencePieceOptions = {}): Tokenizer {
  return sentencePieceTokenizer(readSentencePieceModel(bytes), options);
}

/** As `tokenizerFromSentencePiece`, for a model that has been read. */
export function sentencePieceTokenizer(model: SentencePieceModel, options: SentencePieceOptions): Tokenizer {
  const addedTokens = options.addedTokens ?? specialTokens(model.pieces, options.config?.added_tokens_decoder);
  const tables = buildMetaspaceTables(readPieces(model.pieces), addedTokens);
  const engine = new MetaspaceEngine(tables, {
    cut: harmlessCut(model.pieces.filter(isNormal).map(({ text }) => readable(text))),
    ignoreMerges: false,
    normalize: sentencePieceNormalizer({ ...model, userDefined: userDefined(model.pieces, ({ text }) => text) }),
    prefix: model.addDummyPrefix ? "always" : "never",
    fixed: userDefined(
      model.pieces.map((piece) => (isFixed(piece) ? piece : undefined)),
      ({ text }) => readable(text),
    ),
  });
  const meta = mergeMeta(options, { specialTokens: namedPieces(model) }, optionTemplates(options));
  return new EngineTokenizer(engine, addedTokens, meta);
}

const isFixed = ({ type, text }: Piece): boolean =>
  type === USER_DEFINED && (isOneCharacter(text) || /^\s*$/.test(readable(text)));

function namedPieces({ pieces, bosId, eosId }: SentencePieceModel): Map<string, string> {
  const ids = [
    ["bos_token", bosId],
    ["eos_token", eosId],
  ] as const;
  const named = ids.filter(([, id]) => pieces[id]?.type === CONTROL);
  return new Map(named.map(([name, id]) => [name, pieces[id].text]));
}

function specialTokens(pieces: readonly Piece[], decoder: unknown): AddedToken[] {
  const own = pieces.flatMap((piece, id): AddedToken[] => {
    const special = piece.type === CONTROL || piece.type === UNKNOWN;
    if (!special && (piece.type !== USER_DEFINED || isFixed(piece))) return [];
    const plain = { lstrip: false, rstrip: false, singleWord: false };
    return [{ id, content: piece.text, special, normalized: !special, ...plain }];
  });
  const named = readAddedTokensDecoder(decoder);
  const ids = new Set(named.map(({ id }) => id));
  return [...own.filter(({ id }) => !ids.has(id)), ...named].sort((a, b) => a.id - b.id);
}

/** The user-defined ones of pieces, to be found in text by what `spell` gives. */
function userDefined(pieces: readonly (Piece | undefined)[], spell: (piece: Piece) => string): TokenTrie {
  const plain = { special: false, lstrip: false, rstrip: false, singleWord: false, normalized: true };
  return new TokenTrie(
    pieces.flatMap((piece, id) => {
      if (piece?.type !== USER_DEFINED) return [];
      const content = spell(piece);
      return [[content, { id, content, ...plain }] as const];
    }),
  );
}
