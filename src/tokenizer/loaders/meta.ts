import { optionTemplates } from "../../template/sources/layers.ts";
import { orderTokens } from "../../template/sources/specialTokens.ts";
import type { ChatTemplateOption, ChatTemplates, TemplateSource } from "../../template/sources/types.ts";
import type { AddedToken } from "../types.ts";

/** What is known of a tokenizer beside its vocabulary. */
export interface TokenizerMeta {
  /** The model's name, the key of the model map: `"Qwen/Qwen3-8B"`. */
  readonly nameOrPath?: string | undefined;
  /** Content of the end-of-sequence token. */
  readonly eosToken?: string | undefined;
  readonly bosToken?: string | undefined;
  /**
   * Jinja source of the chat template, or of several by name. One that is or holds the default stands for all that files
   * have; else they fill what is missing.
   */
  readonly chatTemplate?: ChatTemplateOption | undefined;
  /** Where the templates are from, by name. Default: `"option"`. */
  readonly templateSources?: ReadonlyMap<string, TemplateSource> | undefined;
  /** Content of special tokens by the names of template variables: `{ pad_token: "<pad>" }`. `eosToken` and `bosToken` win. */
  readonly specialTokens?: ReadonlyMap<string, string> | Readonly<Record<string, string>> | undefined;
}

export interface TokenizerOptions extends TokenizerMeta {
  /** Stands for the whole list of added tokens in the file. */
  readonly addedTokens?: readonly AddedToken[] | undefined;
}

/** The meta of options, without what else they hold: plain data that can be sent to a thread. */
export function metaOf(options: TokenizerMeta): TokenizerMeta {
  const { nameOrPath, eosToken, bosToken, chatTemplate, templateSources, specialTokens } = options;
  return { nameOrPath, eosToken, bosToken, chatTemplate, templateSources, specialTokens };
}

/** Options over what files say: an option's special token, or end or beginning of sequence, stands for the file's. */
export function mergeMeta(
  options: TokenizerMeta,
  found: { readonly nameOrPath?: string | undefined; readonly specialTokens: ReadonlyMap<string, string> },
  { chatTemplates, templateSources }: ChatTemplates,
): TokenizerMeta {
  const specialTokens = new Map([...found.specialTokens, ...tokensOf(options)]);
  return {
    nameOrPath: options.nameOrPath ?? found.nameOrPath,
    eosToken: specialTokens.get("eos_token"),
    bosToken: specialTokens.get("bos_token"),
    chatTemplate: chatTemplates,
    templateSources,
    specialTokens,
  };
}

/** What a tokenizer shows of its meta. Throws TitoError `tokenizer_invalid` for a chat template of a wrong type. */
export function readMeta(meta: TokenizerMeta) {
  const specialTokens = orderTokens(tokensOf(meta));
  return {
    nameOrPath: meta.nameOrPath,
    specialTokens,
    eosToken: specialTokens.get("eos_token"),
    bosToken: specialTokens.get("bos_token"),
    ...optionTemplates(meta),
  };
}

function tokensOf({ specialTokens = {}, eosToken, bosToken }: TokenizerMeta): Map<string, string> {
  const tokens = new Map(specialTokens instanceof Map ? specialTokens : Object.entries(specialTokens));
  if (bosToken !== undefined) tokens.set("bos_token", bosToken);
  if (eosToken !== undefined) tokens.set("eos_token", eosToken);
  return tokens;
}
