// Values of a tokenizer_config.json, each of which comes in more than one shape.
import type { TokenizerMeta } from "./meta.ts";

/** The fields of a `tokenizer_config.json` that are read. */
export interface TokenizerConfig {
  readonly eos_token?: unknown;
  readonly bos_token?: unknown;
  readonly chat_template?: unknown;
  readonly name_or_path?: unknown;
  /** Added tokens by id, for vocabularies whose own file names none. */
  readonly added_tokens_decoder?: unknown;
}

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A special token is spelled as its content or as an object that holds it. */
function tokenText(value: unknown): string | undefined {
  return asText(value) ?? asText((value as { content?: unknown } | null | undefined)?.content);
}

/** A chat template is a text, or a list of named ones of which `default` is meant. */
function defaultTemplate(value: unknown): string | undefined {
  if (!Array.isArray(value)) return asText(value);
  const named = value as readonly { name?: unknown; template?: unknown }[];
  return asText(named.find(({ name }) => name === "default")?.template);
}

/** What a config says beside the vocabulary; `options` win. */
export function metaOfConfig(config: TokenizerConfig, options: TokenizerMeta): TokenizerMeta {
  return {
    nameOrPath: options.nameOrPath ?? asText(config.name_or_path),
    eosToken: options.eosToken ?? tokenText(config.eos_token),
    bosToken: options.bosToken ?? tokenText(config.bos_token),
    chatTemplate: options.chatTemplate ?? defaultTemplate(config.chat_template),
  };
}
