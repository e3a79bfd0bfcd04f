import { codePointLength } from "../values/codePoints.ts";
import { concatTexts, type PlainText, sliceText, textOf } from "../values/text.ts";
import { PythonError, type Runtime } from "../values/types.ts";
import { fillArgument, integerArgument } from "./arguments.ts";
import { cutter } from "./cut.ts";
import { define, defineNamed, methodTable } from "./define.ts";

export const padMethods = methodTable([
  define<PlainText>("ljust", 1, 2, (runtime, self, width, fill) => {
    const missing = integerArgument("ljust", width, 0) - codePointLength(textOf(self));
    return pad(runtime, self, 0, missing, fillArgument("ljust", fill));
  }),
  define<PlainText>("rjust", 1, 2, (runtime, self, width, fill) => {
    const missing = integerArgument("rjust", width, 0) - codePointLength(textOf(self));
    return pad(runtime, self, missing, 0, fillArgument("rjust", fill));
  }),
  define<PlainText>("center", 1, 2, (runtime, self, width, fill) =>
    center(runtime, self, integerArgument("center", width, 0), fillArgument("center", fill)),
  ),
  define<PlainText>("zfill", 1, 1, (runtime, self, width) => {
    const missing = integerArgument("zfill", width, 0) - codePointLength(textOf(self));
    if (missing <= 0) return self;
    const length = textOf(self).length;
    const signed = /^[-+]/.test(textOf(self)) ? 1 : 0;
    const padded = pad(runtime, sliceText(self, signed, length), missing, 0, "0");
    return concatTexts([sliceText(self, 0, signed), padded]);
  }),
  defineNamed<PlainText>("expandtabs", ["tabsize"], (runtime, self, size) => {
    const width = integerArgument("expandtabs", size, 8);
    if (Math.abs(width) > 0x7fffffff) throw new PythonError("OverflowError", "expandtabs() got too large a size");
    return expandTabs(runtime, self, width);
  }),
]);

/** Fills on both sides; of an odd number of fills one more is left, or right where the width is even. */
export function center(runtime: Runtime, self: PlainText, width: number, fill: PlainText): PlainText {
  const missing = width - codePointLength(textOf(self));
  if (missing <= 0) return self;
  const left = Math.floor(missing / 2) + (missing % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return pad(runtime, self, left, missing - left, fill);
}

/** So many fills before and after; none for a negative number. */
export function pad(runtime: Runtime, self: PlainText, before: number, after: number, fill: PlainText): PlainText {
  if (before <= 0 && after <= 0) return self;
  runtime.allow(textOf(self).length + (Math.max(before, 0) + Math.max(after, 0)) * textOf(fill).length);
  return concatTexts([times(fill, before), self, times(fill, after)]);
}

function times(fill: PlainText, count: number): PlainText {
  const text = textOf(fill).repeat(Math.max(count, 0));
  return typeof fill === "string" || text === "" ? text : concatTexts(Array.from({ length: count }, () => fill));
}

function expandTabs(runtime: Runtime, self: PlainText, width: number): PlainText {
  const text = textOf(self);
  if (!text.includes("\t")) return self;
  const part = cutter(self);
  const parts: PlainText[] = [];
  let total = text.length;
  let column = 0;
  let start = 0;
  for (const found of text.matchAll(/[\t\n\r]/g)) {
    const at = found.index;
    column += codePointLength(text.slice(start, at));
    if (found[0] === "\t") {
      const blanks = width > 0 ? width - (column % width) : 0;
      total += blanks;
      runtime.allow(total);
      parts.push(part(start, at), " ".repeat(blanks));
      column += blanks;
    } else {
      parts.push(part(start, at + 1));
      column = 0;
    }
    start = at + 1;
  }
  parts.push(part(start, text.length));
  return concatTexts(parts);
}
