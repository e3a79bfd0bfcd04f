import { TitoError } from "../../errors.ts";
import { buildTables } from "../bpe/buildTables.ts";
import { BpeTokenizer } from "../bpe/tokenizer.ts";
import { createFallbackTokenizer } from "../fallback/tokenizer.ts";
import { isByteLevelDecoder, matchNormalizer, matchPreTokenizer } from "../pretokenizers/allowList.ts";
import type { Tokenizer } from "../types.ts";
import { readAddedTokens } from "./addedTokens.ts";
import { type JsonMembers, parseSpan, readMembers, skipSpace, skipValue } from "./json/scan.ts";
import { readMerges, readVocabulary } from "./json/vocabulary.ts";
import { metaOf, type TokenizerOptions } from "./meta.ts";
import { metaspaceTokenizer } from "./metaspaceJson.ts";
import type { TokenizerFile } from "./parts.ts";

/**
 * Makes a tokenizer from a `tokenizer.json`: its text, its bytes (fastest) or its parsed value. Post-processor, truncation
 * and padding are ignored: no token is ever added or cut off.
 *
 * A byte-level BPE model with a known pre-tokenizer and a BPE model with `▁` for blanks and byte fallback (Llama 2, Gemma,
 * Mistral) run on this package's own engines, other byte-level models on `@huggingface/tokenizers`. The blank that some put
 * before a text is put there on request only (`prefixSpace`), and never after an added token.
 *
 * @throws TitoError `tokenizer_invalid` for a damaged file, `tokenizer_unsupported` for a tokenizer that neither can run
 *   exactly.
 * @example
 * const tokenizer = tokenizerFromJson(readFileSync("tokenizer.json"), { nameOrPath: "Qwen/Qwen3-8B", eosToken: "<|im_end|>" });
 * tokenizer.encode("Hello<|im_end|>"); // Int32Array [9707, 151645]
 */
export function tokenizerFromJson(json: string | Uint8Array | object, options: TokenizerOptions = {}): Tokenizer {
  const bytes = toBytes(json);
  const file: JsonMembers = new Map();
  const model: JsonMembers = new Map();
  readMembers(bytes, skipSpace(bytes, 0), file, (key, start) =>
    key === "model" ? readMembers(bytes, start, model) : skipValue(bytes, start),
  );
  const value = (key: string): unknown => {
    const span = file.get(key);
    return span === undefined ? undefined : parseSpan(bytes, span);
  };
  if (!file.has("model")) {
    throw new TitoError(
      "tokenizer_invalid",
      "The tokenizer's JSON has no model. Pass the content of a tokenizer.json.",
    );
  }
  const addedTokens = options.addedTokens ?? readAddedTokens(value("added_tokens"));
  const meta = metaOf(options);
  const vocab = model.get("vocab");
  const merges = model.get("merges");
  const pattern = matchPreTokenizer(value("pre_tokenizer"));
  const normalizer = matchNormalizer(value("normalizer"));
  const flags = new Map<string, unknown>();
  for (const [key, span] of model) if (key !== "vocab" && key !== "merges") flags.set(key, parseSpan(bytes, span));
  const isOurs = isPlainBpe(flags) && isByteLevelDecoder(value("decoder"));
  if (pattern === undefined || normalizer === undefined || !isOurs || vocab === undefined || merges === undefined) {
    const whole = parseSpan(bytes, { start: 0, end: bytes.length }) as TokenizerFile;
    return metaspaceTokenizer(whole, addedTokens, meta) ?? createFallbackTokenizer(whole, addedTokens, meta);
  }
  const ignoreMerges = flags.get("ignore_merges") === true;
  const vocabulary = readVocabulary(bytes, vocab);
  const tables = buildTables(vocabulary, readMerges(bytes, merges, vocabulary), addedTokens, {
    proveWholeTokens: !ignoreMerges,
  });
  return new BpeTokenizer(tables, { pattern, nfc: normalizer === "nfc", ignoreMerges, addedTokens, ...meta });
}

function toBytes(json: string | Uint8Array | object): Uint8Array {
  if (json instanceof Uint8Array) return json;
  return Buffer.from(typeof json === "string" ? json : JSON.stringify(json), "utf8");
}

/** Whether the model is BPE over the byte alphabet without any of the options that change how it merges. */
function isPlainBpe(flags: ReadonlyMap<string, unknown>): boolean {
  const isUnset = (key: string): boolean => [undefined, null, false, "", 0].includes(flags.get(key) as never);
  const type = flags.get("type");
  return (
    (type === "BPE" || type === undefined) &&
    ["dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"].every(isUnset)
  );
}
