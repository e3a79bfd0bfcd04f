import { strFormat } from "../formatting/format.ts";
import type { PlainText } from "../values/text.ts";
import { Callable, PythonError, type Value } from "../values/types.ts";
import { defineNamed, lazily, type Method, type Methods, methodTable } from "./define.ts";
import { caseMethods } from "./stringCase.ts";
import { padMethods } from "./stringPad.ts";
import { replaceMethods } from "./stringReplace.ts";
import { searchMethods } from "./stringSearch.ts";
import { splitMethods } from "./stringSplit.ts";
import { stripMethods } from "./stringStrip.ts";
import { characterTests } from "./stringTests.ts";

/** All methods of str. */
export const stringMethods: () => Methods = lazily(
  () =>
    new Map<string, Method>([
      ...caseMethods,
      ...characterTests,
      ...searchMethods,
      ...splitMethods,
      ...stripMethods,
      ...padMethods,
      ...replaceMethods,
      ...methodTable([
        new Callable("format", "function", (runtime, { positional, named }) =>
          strFormat(runtime, positional[0] as PlainText, positional.slice(1), named ?? new Map()),
        ),
        new Callable("format_map", "function", (runtime, { positional, named }) =>
          strFormat(runtime, positional[0] as PlainText, [], onlyMapping(positional, named)),
        ),
        defineNamed("encode", ["encoding", "errors"], () => {
          throw new PythonError("TypeError", "a template has no bytes: encode() is not available");
        }),
      ]),
    ]),
);

/** The one argument of `format_map()`. */
export function onlyMapping(positional: readonly Value[], named: ReadonlyMap<string, Value> | null): Value {
  if (named !== null && named.size > 0) throw new PythonError("TypeError", "format_map() takes no arguments by name");
  if (positional.length !== 2) {
    throw new PythonError("TypeError", `format_map() takes 1 argument, but ${positional.length - 1} were given`);
  }
  return positional[1]!;
}
