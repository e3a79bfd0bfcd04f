import { TitoError } from "../../errors.ts";
import { readGgufHeader } from "../../models/gguf/header.ts";
import { type GgufHeader, type GgufStrings, type GgufValue, ggufString } from "../../models/gguf/types.ts";
import { ggufSpecialTokens, ggufTemplates } from "../../template/sources/gguf.ts";
import { fillTemplates, isOpen, optionTemplates } from "../../template/sources/layers.ts";
import { buildTables } from "../bpe/buildTables.ts";
import { MergeList } from "../bpe/mergeList.ts";
import { BpeTokenizer } from "../bpe/tokenizer.ts";
import { type Vocabulary, VocabularyBuilder } from "../bpe/vocabularyBuilder.ts";
import { GGUF_PRE_TOKENIZERS, type GgufPreTokenizer } from "../pretokenizers/ggufNames.ts";
import type { AddedToken, Tokenizer } from "../types.ts";
import { mergeMeta, type TokenizerMeta, type TokenizerOptions } from "./meta.ts";
import { GGUF_SENTENCE_PIECE, ggufSentencePieces } from "./sentencePiece/gguf.ts";
import { sentencePieceTokenizer } from "./sentencePiece/load.ts";

// Values of `tokenizer.ggml.token_type`.
const CONTROL = 3;
const USER_DEFINED = 4;
const UNUSED = 5;

/**
 * Makes a tokenizer from the vocabulary in a GGUF, given its path or its header. Name, special tokens and chat templates
 * are the file's unless `options` gives them. Ids that the file marks unused exist in `vocabSize` only:
 * they have no bytes. A vocabulary is byte-level BPE, or SentencePiece of the type BPE as for `tokenizerFromSentencePiece`.
 *
 * @throws TitoError as `readGgufHeader`; `tokenizer_unsupported` for a vocabulary of another model or whose pre-tokenizer is
 *   not known; `tokenizer_invalid` for one that does not fit together.
 * @example
 * const tokenizer = tokenizerFromGguf("model.gguf", { nameOrPath: "Qwen/Qwen3-8B" });
 */
export function tokenizerFromGguf(source: string | GgufHeader, options: TokenizerOptions = {}): Tokenizer {
  const { metadata } = typeof source === "string" ? readGgufHeader(source) : source;
  if (metadata.get("tokenizer.ggml.model") === GGUF_SENTENCE_PIECE) return sentencePiece(metadata, options);
  const { pattern, nfc, ignoreMerges } = preTokenizer(metadata);
  const tokens = strings(metadata, "tokenizer.ggml.tokens");
  const types = metadata.get("tokenizer.ggml.token_type");
  const typeOf = (id: number): number => (types instanceof Int32Array ? types[id] : 1);
  const vocabulary = readVocabulary(tokens, typeOf);
  const merges = readMerges(strings(metadata, "tokenizer.ggml.merges"), vocabulary);
  const addedTokens = options.addedTokens ?? readAddedTokens(tokens, typeOf);
  const tables = buildTables(vocabulary, merges, addedTokens, { proveWholeTokens: !ignoreMerges });
  return new BpeTokenizer(tables, {
    pattern,
    nfc,
    ignoreMerges,
    addedTokens,
    ...readMeta(metadata, tokens, options),
  });
}

function sentencePiece(metadata: Metadata, options: TokenizerOptions): Tokenizer {
  const tokens = strings(metadata, "tokenizer.ggml.tokens");
  const meta = readMeta(metadata, tokens, options);
  return sentencePieceTokenizer(ggufSentencePieces(metadata, tokens), { ...meta, addedTokens: options.addedTokens });
}

function readMeta(metadata: Metadata, tokens: GgufStrings, options: TokenizerOptions): TokenizerMeta {
  const given = optionTemplates(options);
  const templates = isOpen(given) ? fillTemplates(given, ggufTemplates(metadata)) : given;
  const found = { nameOrPath: text(metadata, "general.name"), specialTokens: ggufSpecialTokens(metadata) };
  const meta = mergeMeta(options, found, templates);
  return {
    ...meta,
    eosToken: meta.eosToken ?? tokenAt(metadata, tokens, "tokenizer.ggml.eos_token_id"),
    bosToken: meta.bosToken ?? tokenAt(metadata, tokens, "tokenizer.ggml.bos_token_id"),
  };
}

type Metadata = ReadonlyMap<string, GgufValue>;

function preTokenizer(metadata: Metadata): GgufPreTokenizer {
  const model = metadata.get("tokenizer.ggml.model");
  if (model !== "gpt2") {
    throw new TitoError(
      "tokenizer_unsupported",
      `This GGUF's vocabulary is of the model ${JSON.stringify(model ?? null)}; "gpt2" (byte-level BPE) and "llama" (SentencePiece) are read. ` +
        "Load the tokenizer.json of the original model.",
      { details: { model } },
    );
  }
  const name = metadata.get("tokenizer.ggml.pre");
  const known = typeof name === "string" ? GGUF_PRE_TOKENIZERS.get(name) : undefined;
  if (known !== undefined) return known;
  const names = [...GGUF_PRE_TOKENIZERS.keys()];
  throw new TitoError(
    "tokenizer_unsupported",
    `This GGUF's pre-tokenizer ${JSON.stringify(name ?? null)} is not known; known are ${names.join(", ")}. ` +
      "Load the tokenizer.json of the original model.",
    { details: { name, known: names } },
  );
}

function readVocabulary(tokens: GgufStrings, typeOf: (id: number) => number): Vocabulary {
  const builder = new VocabularyBuilder();
  builder.reserveIds(tokens.length);
  for (let id = 0; id < tokens.length; id++) {
    const type = typeOf(id);
    if (type === CONTROL || type === USER_DEFINED || type === UNUSED) continue;
    builder.addSpelled(id, tokens.bytes, tokens.starts[id], tokens.ends[id]);
  }
  return builder.build();
}

function readMerges({ length, bytes, starts, ends }: GgufStrings, vocabulary: Vocabulary): MergeList {
  const merges = new MergeList(vocabulary, length);
  for (let index = 0; index < length; index++) {
    // The first byte is never the blank between the two.
    const blank = bytes.indexOf(32, starts[index] + 1);
    if (blank < 0 || blank >= ends[index]) throw invalid(`merge ${index} is not two tokens`);
    merges.addSpelled(bytes, starts[index], blank, blank + 1, ends[index]);
  }
  return merges;
}

function readAddedTokens(tokens: GgufStrings, typeOf: (id: number) => number): AddedToken[] {
  const added: AddedToken[] = [];
  for (let id = 0; id < tokens.length; id++) {
    const type = typeOf(id);
    if (type !== CONTROL && type !== USER_DEFINED) continue;
    const content = ggufString(tokens, id);
    const special = type === CONTROL;
    added.push({ id, content, special, lstrip: false, rstrip: false, singleWord: false, normalized: false });
  }
  return added;
}

function strings(metadata: Metadata, key: string): GgufStrings {
  const value = metadata.get(key);
  if (typeof value === "object" && "kind" in value) return value;
  throw invalid(`it has no ${key}`);
}

function text(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key);
  return typeof value === "string" ? value : undefined;
}

function tokenAt(metadata: Metadata, tokens: GgufStrings, key: string): string | undefined {
  const id = metadata.get(key);
  if (typeof id !== "number") return undefined;
  if (id < tokens.length) return ggufString(tokens, id);
  throw new TitoError(
    "token_missing",
    `This GGUF's ${key} is ${id}, and its vocabulary has ${tokens.length} tokens. Convert the model again, or name the token.`,
    { details: { key, id, vocabSize: tokens.length } },
  );
}

function invalid(fact: string): TitoError {
  return new TitoError("tokenizer_invalid", `This GGUF's vocabulary is damaged: ${fact}. Convert the model again.`);
}
