/** Reading an id back costs about as much as rendering this many UTF-16 units. */
const UNITS_PER_PARSED_ID = 0.5;
/** A bridge only looks for the end of the turn in the completion. */
const IDS_SCANNED_PER_UNIT = 8;
/** What a field or an item of a value costs beside its text. */
const UNITS_PER_VALUE = 4;
const DEEPEST = 100;

/** Weights are in UTF-16 units of rendered text: estimates from lengths alone, in time that the text's length has no part in. */
export const weightOfRender = (messages: unknown, tools: unknown): number => unitsOf(messages, 0) + unitsOf(tools, 0);

export const weightOfParse = (ids: { readonly length: number }): number => ids.length * UNITS_PER_PARSED_ID;

export const weightOfBridge = (newMessages: unknown, completion: { readonly length: number }): number =>
  unitsOf(newMessages, 0) + completion.length / IDS_SCANNED_PER_UNIT;

function unitsOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + UNITS_PER_VALUE;
  if (typeof value !== "object" || value === null || depth > DEEPEST) return UNITS_PER_VALUE;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let units = UNITS_PER_VALUE;
  if (Array.isArray(value)) for (const item of value) units += unitsOf(item, depth + 1);
  else if (value instanceof Map) for (const [, field] of value) units += unitsOf(field, depth + 1);
  else for (const field of Object.values(value)) units += unitsOf(field, depth + 1);
  return units;
}
