import { pythonStrip } from "../../messages/index.ts";
import { decimalValue } from "../methods/characters.ts";
import { PythonError } from "../values/types.ts";

/** Blanks around a number do not count, and decimal digits of any script do. */
function normal(text: string): string {
  return pythonStrip(text).replace(/\p{Nd}/gu, (digit) => String(decimalValue(digit)));
}

/** Python's `int(text)`: blanks around it and `_` between digits are allowed. A ValueError for any other text. */
export function readInteger(text: string): bigint {
  const digits = normal(text);
  if (!/^[-+]?\d+(?:_\d+)*$/.test(digits)) throw new PythonError("ValueError", `"${digits}" is no integer`);
  if (digits.replace(/[-+_]/g, "").length > 4300) {
    throw new PythonError("ValueError", "a text of more than 4300 digits is not read as an integer");
  }
  const size = BigInt(digits.replace(/^[-+]/, "").replaceAll("_", ""));
  return digits.startsWith("-") ? -size : size;
}

/** Python's `float(text)`. A ValueError for what is no number. */
export function readFloat(text: string): number {
  const digits = normal(text).toLowerCase();
  const special = /^([-+]?)(nan|inf|infinity)$/.exec(digits);
  if (special !== null) {
    const size = special[2] === "nan" ? Number.NaN : Number.POSITIVE_INFINITY;
    return special[1] === "-" ? -size : size;
  }
  if (!/^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[-+]?\d+(?:_\d+)*)?$/.test(digits)) {
    throw new PythonError("ValueError", `"${digits}" is no number`);
  }
  return Number(digits.replaceAll("_", ""));
}
