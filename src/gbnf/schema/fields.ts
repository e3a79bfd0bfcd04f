import { type JsonInput, JsonNumber, objectEntries } from "../../messages/index.ts";

/** A schema that is an object. */
export type SchemaObject = ReadonlyMap<string, JsonInput>;

export const isObject = (value: JsonInput | undefined): value is SchemaObject | { readonly [key: string]: JsonInput } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

const known = new WeakMap<object, SchemaObject>();

/** Fields of an object; the same map for the same object, so that it can stand for it. */
export function fieldsOf(value: SchemaObject | { readonly [key: string]: JsonInput }): SchemaObject {
  if (value instanceof Map) return value;
  let fields = known.get(value);
  if (fields === undefined) {
    fields = new Map(objectEntries(value as SchemaObject));
    known.set(value, fields);
  }
  return fields;
}

export const isList = (value: JsonInput | undefined): value is readonly JsonInput[] => Array.isArray(value);

export const textsOf = (value: JsonInput | undefined): string[] =>
  isList(value) ? value.filter((one) => typeof one === "string") : [];

/** A number's exact value if it is whole, else the next whole number below or above; undefined for what is no number. */
export function wholeNumber(value: JsonInput | undefined, round: "down" | "up"): bigint | undefined {
  const text = value instanceof JsonNumber ? value.text : String(value);
  if (!(value instanceof JsonNumber || typeof value === "number" || typeof value === "bigint")) return undefined;
  if (/^-?\d+$/.test(text)) return BigInt(text);
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  return BigInt(round === "down" ? Math.floor(number) : Math.ceil(number));
}

/** A count such as `minItems`; undefined for what is none. */
export function countOf(value: JsonInput | undefined): number | undefined {
  const whole = wholeNumber(value, "up");
  return whole === undefined || whole < 0n ? undefined : Number(whole);
}

/** A JSON pointer to what stands under a key or index. */
export const under = (pointer: string, ...steps: readonly (string | number)[]): string =>
  pointer + steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
