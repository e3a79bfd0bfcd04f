import { TitoError } from "../../errors.ts";

/**
 * How deep arrays and objects may be nested: Python's default recursion limit. Whatever `parseJson` accepts, every function
 * on values accepts too, so a model's output can never parse and then fail to print.
 */
export const maxDepth = 1000;

/** Longest integer in digits: CPython neither reads nor writes longer ones. */
export const maxIntegerDigits = 4300;

export function checkDepth(depth: number): void {
  if (depth <= maxDepth) return;
  throw new TitoError(
    "invalid_json",
    `The value is nested deeper than ${maxDepth} levels, or contains itself. Pass a flatter value.`,
    { details: { maxDepth } },
  );
}
