import { percentFormat } from "../formatting/percentFormat.ts";
import { escapeHtml } from "../methods/markup.ts";
import { List, Tuple } from "./containers.ts";
import { integer, numeric } from "./numbers.ts";
import { Float, Markup, type Scalar, Traced, Undefined } from "./scalars.ts";
import { concatTexts, firstSource, isText, type PlainText, plain, textOf } from "./text.ts";
import { typeName } from "./typeName.ts";
import { PythonError, type Runtime, type Value } from "./types.ts";
import { refuseUndefined } from "./undefined.ts";

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

type Numeric = number | bigint | Float;

/** Python's arithmetic: exact integers, floats apart, texts and lists added and repeated, `%` formats. */
export function binary(runtime: Runtime, operator: BinaryOperator, a: Value, b: Value): Value {
  if (operator === "+" && typeof a === "string" && typeof b === "string") {
    runtime.allow(a.length + b.length);
    return a + b;
  }
  const left = numeric(a);
  const right = numeric(b);
  if (left !== null && right !== null) {
    const result = arithmetic(runtime, operator, left, right);
    const source = firstSource(a) ?? firstSource(b);
    return source === null ? result : new Traced(result, source);
  }
  const sequence = operator === "+" ? added(runtime, a, b) : operator === "*" ? repeated(runtime, a, b) : undefined;
  if (sequence !== undefined) return sequence;
  if (operator === "%" && isText(a)) {
    const formatted = percentFormat(runtime, a, b);
    return a instanceof Markup ? new Markup(formatted) : formatted;
  }
  if (a instanceof Undefined) refuseUndefined(a);
  if (b instanceof Undefined) refuseUndefined(b);
  throw new PythonError("TypeError", `"${operator}" does not work between ${typeName(a)} and ${typeName(b)}`);
}

function added(runtime: Runtime, a: Value, b: Value): Value | undefined {
  if (isText(a) && isText(b)) {
    runtime.allow(textOf(a).length + textOf(b).length);
    if (a instanceof Markup || b instanceof Markup) return new Markup(concatTexts([escaped(a), escaped(b)]));
    return concatTexts([a, b]);
  }
  if ((a instanceof List && b instanceof List) || (a instanceof Tuple && b instanceof Tuple)) {
    runtime.allowItems(a.items.length + b.items.length);
    const items = [...a.items, ...b.items];
    runtime.charge(items.length >> 2);
    return a instanceof List ? new List(items) : new Tuple(items);
  }
  return undefined;
}

function escaped(text: string | Traced | Markup): PlainText {
  return text instanceof Markup ? text.text : escapeHtml(text).text;
}

function repeated(runtime: Runtime, a: Value, b: Value): Value | undefined {
  const count = times(b) ?? times(a);
  const value = times(b) === null ? b : a;
  if (count === null) return undefined;
  if (isText(value)) {
    runtime.allow(textOf(value).length * count);
    if (typeof value === "string") return value.repeat(count);
    const text = value instanceof Markup ? value.text : value;
    const whole = concatTexts(Array.from({ length: textOf(text) === "" ? 0 : count }, () => text));
    return value instanceof Markup ? new Markup(whole) : whole;
  }
  if (!(value instanceof List || value instanceof Tuple)) return undefined;
  runtime.allowItems(value.items.length * count);
  const items = Array.from({ length: value.items.length * count }, (_, at) => value.items[at % value.items.length]!);
  return value instanceof List ? new List(items) : new Tuple(items);
}

/** How often to repeat; null for what is no int. */
function times(value: Value): number | null {
  const number = numeric(value);
  if (number === null || number instanceof Float) return null;
  return Math.max(0, Number(number));
}

function arithmetic(runtime: Runtime, operator: BinaryOperator, a: Numeric, b: Numeric): Scalar {
  if (a instanceof Float || b instanceof Float || operator === "/") return floatArithmetic(operator, a, b);
  switch (operator) {
    case "+":
      return sum(a, b);
    case "-":
      return sum(a, typeof b === "number" ? -b : -b);
    case "*":
      return product(runtime, a, b);
    case "//":
    case "%":
      return division(operator, a, b);
    case "**":
      return power(runtime, a, b);
  }
}

function sum(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === "number" && typeof b === "number") {
    const result = a + b;
    if (Number.isSafeInteger(result)) return result;
  }
  return integer(BigInt(a) + BigInt(b));
}

function product(runtime: Runtime, a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === "number" && typeof b === "number") {
    const result = a * b;
    if (Number.isSafeInteger(result)) return result + 0;
  }
  runtime.allow((digits(a) + digits(b)) * DIGIT_LENGTH);
  return integer(BigInt(a) * BigInt(b));
}

/** What a digit counts for against the limit of lengths: arithmetic with long integers takes its time. */
const DIGIT_LENGTH = 64;

/** About how many hexadecimal digits an integer has. */
function digits(value: number | bigint): number {
  return typeof value === "number" ? 14 : value.toString(16).length;
}

/** Python rounds towards minus infinity, and a remainder has the sign of the divisor. */
function division(operator: "//" | "%", a: number | bigint, b: number | bigint): number | bigint {
  if (Number(b) === 0) throw zeroDivision();
  if (typeof a === "number" && typeof b === "number") {
    return operator === "//" ? Math.floor(safeQuotient(a, b)) + 0 : a - b * Math.floor(safeQuotient(a, b)) + 0;
  }
  const left = BigInt(a);
  const right = BigInt(b);
  const remainder = left % right;
  const floored = remainder !== 0n && remainder < 0n !== right < 0n;
  return integer(operator === "//" ? left / right - (floored ? 1n : 0n) : remainder + (floored ? right : 0n));
}

/** The quotient of safe integers: whole where the division is, else on the right side of the next integer. */
function safeQuotient(a: number, b: number): number {
  const remainder = a % b;
  const whole = (a - remainder) / b;
  return remainder === 0 ? whole : remainder < 0 === b < 0 ? whole + 0.5 : whole - 0.5;
}

function power(runtime: Runtime, a: number | bigint, b: number | bigint): Scalar {
  if (b < 0) {
    if (Number(a) === 0) throw zeroDivision();
    return new Float(floatPower(toFloat(a), toFloat(b)));
  }
  const size = a === 0 || a === 1 || a === -1 ? 1 : digitsOfPower(a, b);
  runtime.allow(size * DIGIT_LENGTH);
  return integer(BigInt(a) ** BigInt(b));
}

function digitsOfPower(a: number | bigint, b: number | bigint): number {
  return Math.ceil(Math.log2(Math.abs(Number(a)) + 1) * Number(b)) / 4;
}

function floatArithmetic(operator: BinaryOperator, a: Numeric, b: Numeric): Float {
  if (operator === "/" && !(a instanceof Float) && !(b instanceof Float)) return new Float(trueQuotient(a, b));
  const x = toFloat(a);
  const y = toFloat(b);
  switch (operator) {
    case "+":
      return new Float(x + y);
    case "-":
      return new Float(x - y);
    case "*":
      return new Float(x * y);
    case "**":
      return new Float(floatPower(x, y));
  }
  if (y === 0) throw zeroDivision();
  if (operator === "/") return new Float(x / y);
  const [quotient, remainder] = floatDivision(x, y);
  return new Float(operator === "//" ? quotient : remainder);
}

/** CPython's: the remainder has the divisor's sign, also when it is zero, and the quotient is made from the remainder. */
function floatDivision(x: number, y: number): [quotient: number, remainder: number] {
  let remainder = x % y;
  let quotient = (x - remainder) / y;
  if (remainder !== 0) {
    if (y < 0 !== remainder < 0) {
      remainder += y;
      quotient -= 1;
    }
  } else remainder = y < 0 ? -0 : 0;
  if (quotient === 0) return [x / y < 0 || Object.is(x / y, -0) ? -0 : 0, remainder];
  const floor = Math.floor(quotient);
  return [quotient - floor > 0.5 ? floor + 1 : floor, remainder];
}

function floatPower(x: number, y: number): number {
  if (x === 1 || y === 0) return 1;
  if (x === -1 && Math.abs(y) === Number.POSITIVE_INFINITY) return 1;
  if (x === 0 && y < 0) throw zeroDivision();
  if (x < 0 && Number.isFinite(x) && Number.isFinite(y) && !Number.isInteger(y)) {
    throw new PythonError(
      "TypeError",
      "a fractional power of a negative number is complex, which a template has no use for",
    );
  }
  const result = isExactPower(x, y) ? exactPower(x, y) : y === 0.5 && x > 0 ? Math.sqrt(x) : x ** y;
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) throw overflow();
  return result;
}

/** The engine's own power is off by a bit now and then; with a whole exponent it can be had exactly. */
function isExactPower(x: number, y: number): boolean {
  return Number.isInteger(y) && Math.abs(y) <= 100 && Number.isFinite(x) && x !== 0;
}

function exactPower(x: number, y: number): number {
  let mantissa = x;
  let halvings = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    halvings++;
  }
  const times = BigInt(Math.abs(y));
  const top = BigInt(mantissa) ** times;
  const bottom = 1n << (BigInt(halvings) * times);
  return y > 0 ? trueQuotient(top, bottom) : trueQuotient(bottom, top);
}

/** `/` of integers is exact to the last bit, also where an operand is no float. */
function trueQuotient(a: number | bigint, b: number | bigint): number {
  if (Number(b) === 0) throw zeroDivision();
  if (typeof a === "number" && typeof b === "number") return a / b;
  const left = BigInt(a);
  const right = BigInt(b);
  const negative = left < 0n !== right < 0n;
  const size = (value: bigint) => (value < 0n ? -value : value);
  const [top, bottom] = [size(left), size(right)];
  // 66 bits of quotient hold every bit of a double and, with a sticky one, the direction in which to round.
  const shift = 66 - (top.toString(2).length - bottom.toString(2).length);
  const scaled = shift >= 0 ? top << BigInt(shift) : top;
  const divisor = shift >= 0 ? bottom : bottom << BigInt(-shift);
  const quotient = (scaled / divisor) | (scaled % divisor === 0n ? 0n : 1n);
  const result = scaleByPower(Number(quotient), -shift);
  if (!Number.isFinite(result)) throw overflow();
  return negative ? -result : result;
}

/** `value × 2^power` without an overflow or underflow on the way. */
function scaleByPower(value: number, power: number): number {
  let result = value;
  let left = power;
  while (left > 1000) {
    result *= 2 ** 1000;
    left -= 1000;
  }
  while (left < -1000) {
    result *= 2 ** -1000;
    left += 1000;
  }
  return result * 2 ** left;
}

function toFloat(value: Numeric): number {
  if (value instanceof Float) return value.value;
  const number = Number(value);
  if (!Number.isFinite(number)) throw overflow();
  return number;
}

function zeroDivision(): PythonError {
  return new PythonError("ZeroDivisionError", "division by zero");
}

function overflow(): PythonError {
  return new PythonError("OverflowError", "the number is too large for a float");
}

/** `-value` and `+value`. */
export function signed(operator: "-" | "+", value: Value): Value {
  const number = numeric(value);
  if (number === null) {
    if (value instanceof Undefined) refuseUndefined(value);
    throw new PythonError("TypeError", `"${operator}" does not work on ${typeName(value)}`);
  }
  if (operator === "+") return plain(number);
  if (number instanceof Float) return new Float(-number.value);
  return typeof number === "bigint" ? integer(-number) : 0 - number;
}
