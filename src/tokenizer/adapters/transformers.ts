import { TitoError } from "../../errors.ts";
import { readAddedTokens } from "../loaders/addedTokens.ts";
import { metaOfConfig, type TokenizerConfig } from "../loaders/configValues.ts";
import type { TokenizerOptions } from "../loaders/meta.ts";
import { tokenizerFromJson } from "../loaders/tokenizerJson.ts";
import type { Tokenizer } from "../types.ts";

/**
 * A tokenizer object of `@huggingface/transformers`, by the fields that are read: version 4 keeps the content of its
 * tokenizer.json, version 3 keeps it in the parts that it made of it.
 */
export interface TransformersTokenizer {
  readonly config?: unknown;
  /** A text, or texts by name; stands for the config's where it is not null. */
  readonly chat_template?: unknown;
  readonly _tokenizerJSON?: unknown;
  readonly model?: unknown;
  readonly normalizer?: unknown;
  readonly pre_tokenizer?: unknown;
  readonly decoder?: unknown;
  readonly added_tokens?: unknown;
}

/**
 * Makes a tokenizer of the data in a `@huggingface/transformers` tokenizer. The object itself is not used afterwards.
 *
 * @throws TitoError `tokenizer_unsupported` if the object holds no such data, and as `tokenizerFromJson`.
 * @example
 * const tokenizer = adaptTransformersTokenizer(await AutoTokenizer.from_pretrained("Qwen/Qwen3-8B"), {
 *   nameOrPath: "Qwen/Qwen3-8B",
 * });
 */
export function adaptTransformersTokenizer(source: TransformersTokenizer, options: TokenizerOptions = {}): Tokenizer {
  const config = (source.config ?? {}) as TokenizerConfig;
  const chat_template = source.chat_template ?? config.chat_template;
  const meta = metaOfConfig({ ...config, chat_template }, options, "transformers");
  return tokenizerFromJson(jsonOf(source), { ...meta, addedTokens: options.addedTokens });
}

/** A part of a version 3 tokenizer. */
interface Part {
  readonly config?: unknown;
  readonly tokenizers?: readonly Part[];
}

function jsonOf(source: TransformersTokenizer): object {
  if (typeof source._tokenizerJSON === "object" && source._tokenizerJSON !== null) return source._tokenizerJSON;
  const model = (source.model as Part | null | undefined)?.config;
  if (typeof model !== "object" || model === null || !Array.isArray(source.added_tokens)) {
    throw new TitoError(
      "tokenizer_unsupported",
      "The object holds no tokenizer data as @huggingface/transformers 3 and 4 keep it. Use loadTokenizer with the files.",
    );
  }
  return {
    added_tokens: readAddedTokens(source.added_tokens).map(({ singleWord, ...token }) => ({
      ...token,
      single_word: singleWord,
    })),
    normalizer: configOf(source.normalizer),
    pre_tokenizer: configOf(source.pre_tokenizer),
    decoder: configOf(source.decoder),
    model,
  };
}

function configOf(part: unknown): unknown {
  const { config, tokenizers } = (part ?? {}) as Part;
  if (tokenizers !== undefined) return { type: "Sequence", pretokenizers: tokenizers.map(configOf) };
  return config ?? null;
}
