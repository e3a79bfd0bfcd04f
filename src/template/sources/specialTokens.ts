/** The special tokens that every model may have, in the order in which transformers passes them to templates. */
export const SPECIAL_TOKEN_NAMES = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The special tokens in a `tokenizer_config.json`, by the names of the variables that templates see: `bos_token`,
 * `eos_token` … and the model's own (`image_token`).
 */
export function readSpecialTokens(config: Fields): Map<string, string> {
  const own = Object.entries(config).filter(([name]) => name.endsWith("_token"));
  const named = [config.extra_special_tokens, config.model_specific_special_tokens].flatMap((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [],
  );
  const tokens = [...own, ...named].flatMap(([name, value]): [string, string][] => {
    const content = tokenText(value);
    return content === undefined ? [] : [[name, content]];
  });
  return orderTokens(new Map(tokens));
}

/** Special tokens in the order of transformers: those that every model may have first. */
export function orderTokens(tokens: ReadonlyMap<string, string>): Map<string, string> {
  const common = SPECIAL_TOKEN_NAMES.flatMap((name): [string, string][] => {
    const content = tokens.get(name);
    return content === undefined ? [] : [[name, content]];
  });
  return new Map([...common, ...tokens]);
}

/** A special token is spelled as its content or as an object that holds it. */
function tokenText(value: unknown): string | undefined {
  const content = typeof value === "object" ? (value as { content?: unknown } | null)?.content : value;
  return typeof content === "string" ? content : undefined;
}
