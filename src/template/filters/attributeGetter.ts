import { item as itemOf } from "../values/attributes.ts";
import { decimalDigits, toInteger } from "../values/conversions.ts";
import { Undefined } from "../values/scalars.ts";
import { isText, plain, textOf } from "../values/text.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";

export type Getter = (value: Value) => Value;

/**
 * What filters do with `attribute="a.b.0"`: item by item along the path; a part of digits is an index. `null` is the value
 * itself. A missing part becomes `fallback`, unless that is `null`.
 */
export function attributeGetter(runtime: Runtime, attribute: Value, fallback: Value = null): Getter {
  const parts = attributeParts(attribute);
  if (parts.length === 0) return (value) => value;
  const hasFallback = plain(fallback) !== null;
  return (value) => {
    let found = value;
    for (const part of parts) {
      found = itemOf(runtime, found, part);
      if (hasFallback && found instanceof Undefined) found = fallback;
    }
    return found;
  };
}

/** Several paths, divided by commas. */
export function attributeGetters(runtime: Runtime, attribute: Value): readonly Getter[] {
  const paths = isText(attribute) ? textOf(attribute).split(",") : [attribute];
  return paths.map((path) => attributeGetter(runtime, path));
}

function attributeParts(attribute: Value): readonly Value[] {
  if (plain(attribute) === null) return [];
  if (!isText(attribute)) return [attribute];
  return textOf(attribute)
    .split(".")
    .map((part) => {
      if (!/^[\p{Nd}\p{No}]+$/u.test(part)) return part;
      if (decimalDigits(part) !== null) return toInteger(part, 10);
      // Python takes superscripts for digits, and then cannot read them.
      if (/^[\p{Nd}²³¹\u2070\u2074-\u2079\u2080-\u2089]+$/u.test(part)) {
        throw new PythonError("ValueError", `"${part}" is no index: write it with the digits 0 to 9`);
      }
      return part;
    });
}

/** A text in lower case, so that case does not matter in a comparison; any other value as it is. */
export function ignoreCase(value: Value): Value {
  return isText(value) ? textOf(value).toLowerCase() : value;
}
