// Values of a tokenizer_config.json, each of which comes in more than one shape.

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A special token is spelled as its content or as an object that holds it. */
export function tokenText(value: unknown): string | undefined {
  return asText(value) ?? asText((value as { content?: unknown } | null | undefined)?.content);
}

/** A chat template is a text, or a list of named ones of which `default` is meant. */
export function defaultTemplate(value: unknown): string | undefined {
  if (!Array.isArray(value)) return asText(value);
  const named = value as readonly { name?: unknown; template?: unknown }[];
  return asText(named.find(({ name }) => name === "default")?.template);
}
