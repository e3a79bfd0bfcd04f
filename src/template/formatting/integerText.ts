import { PythonError } from "../values/types.ts";

const decimalLimit = 10n ** 4300n;

/** Decimal digits of an integer without its sign. CPython refuses to make more than 4300. */
export function decimalDigits(value: bigint): string {
  if (value >= decimalLimit || value <= -decimalLimit) {
    throw new PythonError("ValueError", "an integer of more than 4300 digits cannot be printed");
  }
  return (value < 0n ? -value : value).toString();
}

/** Digits in base 2, 8 or 16 without sign and prefix. */
export function digitsInBase(value: bigint, base: 2 | 8 | 16): string {
  return (value < 0n ? -value : value).toString(base);
}
