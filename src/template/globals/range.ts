import { integerArgument } from "../filters/support.ts";
import { Range } from "../values/containers.ts";
import { Callable, PythonError } from "../values/types.ts";

/** Longest range that Jinja's sandbox makes. */
const maxRange = 100_000;

/** `range(stop)`, `range(start, stop, step=1)`, without named arguments. */
export const range = new Callable("range", "function", (_runtime, { positional, named }) => {
  if (named !== null && named.size > 0) throw new PythonError("TypeError", "range() takes no arguments by name");
  if (positional.length < 1 || positional.length > 3) {
    throw new PythonError("TypeError", `range() takes 1 to 3 arguments, but ${positional.length} were given`);
  }
  const numbers = positional.map((value) => integerArgument(value, "an argument of range()"));
  const [start, stop, step] = numbers.length === 1 ? [0, numbers[0]!, 1] : [numbers[0]!, numbers[1]!, numbers[2] ?? 1];
  if (step === 0) throw new PythonError("ValueError", "the step of range() cannot be 0");
  const made = new Range(start, stop, step);
  if (made.length > maxRange) {
    throw new PythonError("OverflowError", `a range of more than ${maxRange} numbers is not allowed in a template`);
  }
  return made;
});
