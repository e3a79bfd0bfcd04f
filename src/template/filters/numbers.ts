import { formatValue } from "../formatting/formatSpec.ts";
import { binary } from "../values/arithmetic.ts";
import { toFloat, toInteger, truncated } from "../values/conversions.ts";
import { native } from "../values/native.ts";
import { integer, numeric } from "../values/numbers.ts";
import { Float, type Scalar, Traced } from "../values/scalars.ts";
import { firstSource, isText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { PythonError, type Value } from "../values/types.ts";
import { builtin, integerArgument, kindOf } from "./support.ts";

/** A result that all of `value` has gone into. */
function from(value: Value, result: Scalar): Value {
  const source = firstSource(value);
  return source === null ? result : new Traced(result, source);
}

export const abs = builtin("abs", ["x"], (_runtime, value) => {
  const number = numeric(value!);
  if (number === null) throw new PythonError("TypeError", `${kindOf(value!)} has no absolute value`);
  if (number instanceof Float) return from(value!, new Float(Math.abs(number.value)));
  return from(value!, typeof number === "bigint" ? (number < 0n ? -number : number) : Math.abs(number));
});

/** `"42.7"|int` is 42: what is no integer is read as a float first. The base is for texts only. */
export const int = native("int", ["value", ["default", 0], ["base", 10]], (_runtime, value, fallback, base) => {
  return (
    attempt(["TypeError", "ValueError"], () => {
      const radix = isText(value!) ? integerArgument(base!, "an integer's base") : null;
      return from(value!, toInteger(value!, radix));
    }) ??
    attempt(["TypeError", "ValueError", "OverflowError"], () => from(value!, truncated(toFloat(value!)))) ??
    fallback!
  );
});

export const float = native("float", ["value", ["default", new Float(0)]], (_runtime, value, fallback) => {
  return attempt(["TypeError", "ValueError"], () => from(value!, new Float(toFloat(value!)))) ?? fallback!;
});

/** undefined: one of these exceptions was raised. */
function attempt(exceptions: readonly string[], run: () => Value): Value | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof PythonError && exceptions.includes(error.type)) return undefined;
    throw error;
  }
}

/** Python's `round`, to the even neighbour from the middle; or always up (`ceil`) or down (`floor`). An int stays one. */
export const round = native(
  "round",
  ["value", ["precision", 0], ["method", "common"]],
  (runtime, value, precision, method) => {
    const how = isText(method!) ? textOf(method) : "";
    if (how !== "common" && how !== "ceil" && how !== "floor") {
      throw new PythonError("FilterArgumentError", 'the method of round is "common", "ceil" or "floor"');
    }
    if (how === "common") return rounded(value!, precision!);
    const power = binary(runtime, "**", 10, precision!);
    const scaled = numeric(binary(runtime, "*", value!, power));
    if (scaled === null) throw new PythonError("TypeError", `${kindOf(value!)} cannot be rounded`);
    const whole =
      scaled instanceof Float ? truncated(how === "ceil" ? Math.ceil(scaled.value) : Math.floor(scaled.value)) : scaled;
    return binary(runtime, "/", whole, power);
  },
);

function rounded(value: Value, precision: Value): Value {
  const number = numeric(value);
  if (number === null) throw new PythonError("TypeError", `${kindOf(value)} cannot be rounded`);
  if (plain(precision) === null) {
    return from(value, number instanceof Float ? truncated(roundFloat(number.value, 0)) : number);
  }
  const digits = integerArgument(precision, "the precision of round");
  return from(
    value,
    number instanceof Float ? new Float(roundFloat(number.value, digits)) : roundInteger(number, digits),
  );
}

function roundInteger(value: number | bigint, digits: number): number | bigint {
  if (digits >= 0) return value;
  const size = String(value).length;
  if (-digits > size) return 0;
  const unit = 10n ** BigInt(-digits);
  return integer(halfEven(BigInt(value), unit) * unit);
}

/** The integer nearest to `numerator / denominator`; of two as near, the even one. */
function halfEven(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator;
  const quotient = size / denominator;
  const twice = (size % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  const nearest = up ? quotient + 1n : quotient;
  return numerator < 0n ? -nearest : nearest;
}

/** Rounds a double's exact value to so many decimals. */
function roundFloat(value: number, digits: number): number {
  // Beyond these no digit of a double is left, or all of them are.
  if (!Number.isFinite(value) || value === 0 || digits > 323) return value;
  if (digits < -308) return 0 * value;
  const { mantissa, exponent } = parts(value);
  const ten = 10n ** BigInt(Math.abs(digits));
  let numerator = digits >= 0 ? mantissa * ten : mantissa;
  let denominator = digits >= 0 ? 1n : ten;
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  const result = Number(`${halfEven(numerator, denominator)}e${-digits}`);
  if (!Number.isFinite(result)) throw new PythonError("OverflowError", "the rounded number is too large for a float");
  return result === 0 ? 0 * Math.sign(value) : result;
}

/** A finite double as `mantissa × 2^exponent`. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const biased = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { mantissa: value < 0 ? -mantissa : mantissa, exponent: Math.max(biased, 1) - 1075 };
}

const decimalUnits = ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
const binaryUnits = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];

export const filesizeformat = native("filesizeformat", ["value", ["binary", false]], (runtime, value, isBinary) => {
  const bytes = toFloat(value!);
  const inBinary = isTrue(isBinary!);
  const base = inBinary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${truncated(bytes)} Bytes`;
  const units = inBinary ? binaryUnits : decimalUnits;
  let at = 0;
  while (at < units.length - 1 && !(bytes < base ** (at + 2))) at++;
  const size = formatValue(runtime, new Float((base * bytes) / base ** (at + 2)), ".1f");
  return `${textOf(size)} ${units[at]}`;
});
