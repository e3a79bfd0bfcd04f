import { decompose } from "../methods/numbers.ts";
import type { Runtime } from "../values/types.ts";

/** `r` is the shortest text that reads back the same; the others are C's `printf` conversions. */
export type FloatConversion = "e" | "f" | "g" | "r";

export interface FloatStyle {
  readonly conversion: FloatConversion;
  readonly precision: number;
  /** A decimal point even without digits behind it; `g` keeps trailing zeros. */
  readonly alternate: boolean;
  /** At least one digit behind the point, unless there is an exponent. */
  readonly dotZero: boolean;
  /** What rounds to zero has no sign. */
  readonly unsignedZero: boolean;
}

/** A float as Python formats it: exact digits, ties to even, `-` where negative; small letters. */
export function floatText(runtime: Pick<Runtime, "allow">, value: number, style: FloatStyle): string {
  if (Number.isNaN(value)) return "nan";
  const negative = value < 0 || Object.is(value, -0);
  if (!Number.isFinite(value)) return negative ? "-inf" : "inf";
  const decimal = rounded(Math.abs(value), style);
  const sign = negative && !(style.unsignedZero && decimal.digits === "") ? "-" : "";
  return sign + layOut(runtime, decimal, style);
}

/** `0.digits × 10^point`; no zeros at either end, "" for zero. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

function rounded(value: number, { conversion, precision }: FloatStyle): Decimal {
  if (conversion === "r") return shortest(value);
  const exact = exactDecimal(value);
  if (conversion === "f") return round(exact, exact.point + precision);
  return round(exact, conversion === "e" ? precision + 1 : Math.max(precision, 1));
}

function shortest(value: number): Decimal {
  const [mantissa, exponent] = value.toExponential().split("e");
  return normal(mantissa!.replace(".", ""), Number(exponent) + 1);
}

/** All digits of a float: a binary fraction is a finite decimal one. */
function exactDecimal(value: number): Decimal {
  const { mantissa, exponent } = decompose(value);
  const scaled = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const digits = scaled.toString();
  return normal(digits, digits.length + Math.min(exponent, 0));
}

function normal(digits: string, point: number): Decimal {
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? { digits: "", point: 1 } : { digits: kept, point };
}

/** The first `count` digits, a tie to the even neighbour. */
function round({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: "", point: 1 };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const odd = count > 0 && Number(kept.charAt(count - 1)) % 2 === 1;
  const up = rest > "5" || (rest === "5" && odd);
  if (!up) return normal(kept, point);
  const raised = (BigInt(kept || "0") + 1n).toString();
  return normal(raised, point + (raised.length > count ? 1 : 0));
}

function layOut(runtime: Pick<Runtime, "allow">, { digits, point }: Decimal, style: FloatStyle): string {
  const { conversion, alternate, dotZero } = style;
  const precision = conversion === "g" ? Math.max(style.precision, 1) : style.precision;
  const exponential = conversion === "e" || isTooWide(conversion, point, precision - (dotZero ? 1 : 0));
  const whole = exponential ? 1 : Math.max(point, 0);
  const zeros = exponential ? 0 : Math.max(-point, 0);
  const fraction = "0".repeat(zeros) + digits.slice(whole);
  let least = conversion === "r" || conversion === "g" ? 0 : precision;
  if (conversion === "g" && alternate) least = exponential ? precision - 1 : Math.max(precision - point, 0);
  if (dotZero && !exponential) least = Math.max(least, 1);
  runtime.allow(whole + Math.max(fraction.length, least));
  const integer = digits.slice(0, whole).padEnd(whole, "0") || "0";
  const decimals = fraction.padEnd(least, "0");
  const mark = decimals !== "" || alternate ? "." : "";
  if (!exponential) return integer + mark + decimals;
  const power = point - 1;
  return `${integer}${mark}${decimals}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** `g` and `r` switch to an exponent. */
function isTooWide(conversion: FloatConversion, point: number, precision: number): boolean {
  if (conversion === "r") return point <= -4 || point > 16;
  return conversion === "g" && (point <= -4 || point > precision);
}
