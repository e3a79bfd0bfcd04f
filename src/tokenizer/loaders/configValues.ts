// Values of a tokenizer_config.json, each of which comes in more than one shape.
import { fillTemplates, isOpen, optionTemplates, templatesFrom } from "../../template/sources/layers.ts";
import { readSpecialTokens } from "../../template/sources/specialTokens.ts";
import { readTemplateField } from "../../template/sources/templateField.ts";
import type { TemplateSource } from "../../template/sources/types.ts";
import { mergeMeta, type TokenizerMeta } from "./meta.ts";

/** The fields of a `tokenizer_config.json` that are read. Other fields that end in `_token` are special tokens, too. */
export interface TokenizerConfig {
  readonly eos_token?: unknown;
  readonly bos_token?: unknown;
  readonly extra_special_tokens?: unknown;
  readonly model_specific_special_tokens?: unknown;
  readonly chat_template?: unknown;
  readonly name_or_path?: unknown;
  /** Added tokens by id, for vocabularies whose own file names none. */
  readonly added_tokens_decoder?: unknown;
}

/**
 * What a config says beside the vocabulary; `options` win.
 *
 * @param source what the config is, for its templates.
 * @throws TitoError `tokenizer_invalid` for a malformed chat template.
 */
export function metaOfConfig(
  config: TokenizerConfig,
  options: TokenizerMeta,
  source: TemplateSource = "tokenizer_config.json",
): TokenizerMeta {
  const given = optionTemplates(options);
  const templates = isOpen(given)
    ? fillTemplates(given, templatesFrom(source, readTemplateField(config.chat_template, `${source}: chat_template`)))
    : given;
  const specialTokens = readSpecialTokens({ ...config });
  return mergeMeta(options, { nameOrPath: nameOf(config), specialTokens }, templates);
}

/** The model's name as a config has it. */
export function nameOf({ name_or_path }: TokenizerConfig): string | undefined {
  return typeof name_or_path === "string" ? name_or_path : undefined;
}
