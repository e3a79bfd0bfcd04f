import { Tuple } from "../values/containers.ts";
import { integer } from "../values/numbers.ts";
import { Float } from "../values/scalars.ts";
import { plain } from "../values/text.ts";
import { PythonError, type Value } from "../values/types.ts";
import { define, methodTable } from "./define.ts";

/** Methods of int and bool. */
export const integerMethods = methodTable([
  define("bit_length", 0, 0, (_runtime, self) => (magnitude(self) === 0n ? 0 : magnitude(self).toString(2).length)),
  define("bit_count", 0, 0, (_runtime, self) => magnitude(self).toString(2).replaceAll("0", "").length),
  define("conjugate", 0, 0, (_runtime, self) => asNumber(self)),
  define("as_integer_ratio", 0, 0, (_runtime, self) => new Tuple([asNumber(self), 1])),
]);

export const floatMethods = methodTable([
  define("is_integer", 0, 0, (_runtime, self) => Number.isInteger(floatOf(self))),
  define("as_integer_ratio", 0, 0, (_runtime, self) => new Tuple(ratio(floatOf(self)))),
  define("hex", 0, 0, (_runtime, self) => hex(floatOf(self))),
  define("conjugate", 0, 0, (_runtime, self) => self),
]);

/** `real`, `imag`, `numerator`, `denominator` of an int or bool; undefined for another name. */
export function integerAttribute(value: Value, name: string): Value | undefined {
  if (name === "real" || name === "numerator") return asNumber(value);
  if (name === "imag") return 0;
  return name === "denominator" ? 1 : undefined;
}

/** `real` and `imag` of a float; undefined for another name. */
export function floatAttribute(value: Value, name: string): Value | undefined {
  if (name === "real") return value;
  return name === "imag" ? new Float(0) : undefined;
}

/** Mantissa and exponent: `value = mantissa × 2^exponent`, the mantissa odd or zero. */
export function decompose(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const stored = (high >>> 20) & 0x7ff;
  let mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  let exponent = (stored === 0 ? 1 : stored) - 1075;
  if (stored !== 0) mantissa |= 1n << 52n;
  if (mantissa === 0n) return { mantissa, exponent: 0 };
  while ((mantissa & 1n) === 0n) {
    mantissa >>= 1n;
    exponent++;
  }
  return { mantissa: high >>> 31 === 1 ? -mantissa : mantissa, exponent };
}

function magnitude(self: Value): bigint {
  const value = BigInt(plain(self) as number | bigint | boolean);
  return value < 0n ? -value : value;
}

/** A bool's number; an int as it is. */
function asNumber(self: Value): Value {
  const scalar = plain(self);
  return typeof scalar === "boolean" ? (scalar ? 1 : 0) : self;
}

function floatOf(self: Value): number {
  return (plain(self) as Float).value;
}

function ratio(value: number): [Value, Value] {
  if (Number.isNaN(value)) throw new PythonError("ValueError", "NaN is no ratio of integers");
  if (!Number.isFinite(value)) throw new PythonError("OverflowError", "infinity is no ratio of integers");
  const { mantissa, exponent } = decompose(value);
  if (exponent >= 0) return [integer(mantissa << BigInt(exponent)), 1];
  return [integer(mantissa), integer(1n << BigInt(-exponent))];
}

/** Python's `float.hex`: `0x1.8000000000000p+1`. */
function hex(value: number): string {
  if (Number.isNaN(value)) return "nan";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (!Number.isFinite(value)) return `${sign}inf`;
  if (value === 0) return `${sign}0x0.0p+0`;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const stored = (bits.getUint32(0) >>> 20) & 0x7ff;
  const digits = (BigInt(bits.getUint32(0) & 0xfffff) * 0x1_0000_0000n + BigInt(bits.getUint32(4))).toString(16);
  const exponent = (stored === 0 ? 1 : stored) - 1023;
  return `${sign}0x${stored === 0 ? 0 : 1}.${digits.padStart(13, "0")}p${exponent < 0 ? "" : "+"}${exponent}`;
}
