import { TitoError } from "../../errors.ts";

const REMEDY = "A chat template is a text, a list of { name, template }, or texts by name.";

/**
 * Reads a `chat_template` in any of its shapes; nothing and null are no templates. A name that comes twice has its last text.
 *
 * @param place the value's place for errors: `"tokenizer_config.json: chat_template"`.
 * @throws TitoError `tokenizer_invalid`; `details.field` is the place of the entry.
 */
export function readTemplateField(value: unknown, place: string): Map<string, string> {
  if (value === undefined || value === null) return new Map();
  if (typeof value === "string") return new Map([["default", value]]);
  if (typeof value !== "object") throw invalidField(place, `is a ${typeof value}`);
  if (Array.isArray(value)) return new Map(value.map((item, index) => readItem(item, `${place}[${index}]`)));
  const entries: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
  return new Map(Array.from(entries, ([name, text]) => readEntry(name, text, place)));
}

function readItem(item: unknown, place: string): [string, string] {
  const { name, template } = (item ?? {}) as { name?: unknown; template?: unknown };
  if (typeof name !== "string") throw invalidField(`${place}.name`, "is no text");
  if (typeof template !== "string") throw invalidField(`${place}.template`, "is no text");
  return [name, template];
}

function readEntry(name: unknown, text: unknown, place: string): [string, string] {
  if (typeof name !== "string") throw invalidField(place, "has a name that is no text");
  if (typeof text !== "string") throw invalidField(`${place}.${name}`, "is no text");
  return [name, text];
}

export function invalidField(place: string, fact: string, remedy = REMEDY): TitoError {
  return new TitoError("tokenizer_invalid", `${place} ${fact}. ${remedy}`, { details: { field: place } });
}
