import { codePointIndex, codePointLength } from "../values/codePoints.ts";
import { Tuple } from "../values/containers.ts";
import { isText, type PlainText, textOf } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Value } from "../values/types.ts";
import { textArgument, textRange } from "./arguments.ts";
import { type Argument, define, methodTable } from "./define.ts";
import { endsAt, findAll, findFirst, findLast, startsAt } from "./search.ts";

export const searchMethods = methodTable([
  define<PlainText>("find", 1, 3, (_runtime, self, part, start, end) =>
    found("find", findFirst, self, part!, start, end),
  ),
  define<PlainText>("rfind", 1, 3, (_runtime, self, part, start, end) =>
    found("rfind", findLast, self, part!, start, end),
  ),
  define<PlainText>("index", 1, 3, (_runtime, self, part, start, end) =>
    mustFind("index", found("index", findFirst, self, part!, start, end)),
  ),
  define<PlainText>("rindex", 1, 3, (_runtime, self, part, start, end) =>
    mustFind("rindex", found("rindex", findLast, self, part!, start, end)),
  ),
  define<PlainText>("count", 1, 3, (_runtime, self, part, start, end) => {
    const text = textOf(self);
    const sought = textOf(textArgument("count", part!));
    const range = textRange("count", text, start, end);
    if (range === null) return 0;
    if (sought === "") return codePointLength(text.slice(range.from, range.to)) + 1;
    return findAll(text, sought, Number.POSITIVE_INFINITY, range.from, range.to).length;
  }),
  define<PlainText>("startswith", 1, 3, (_runtime, self, part, start, end) =>
    anyStands("startswith", startsAt, self, part!, start, end),
  ),
  define<PlainText>("endswith", 1, 3, (_runtime, self, part, start, end) =>
    anyStands("endswith", endsAt, self, part!, start, end),
  ),
]);

type Find = (text: string, part: string, from: number, to: number) => number;

function found(name: string, find: Find, self: PlainText, part: Value, start: Argument, end: Argument): number {
  const text = textOf(self);
  const sought = textOf(textArgument(name, part));
  const range = textRange(name, text, start, end);
  const at = range === null ? -1 : find(text, sought, range.from, range.to);
  return at <= 0 ? at : codePointIndex(text, at);
}

function mustFind(name: string, at: number): number {
  if (at === -1) throw new PythonError("ValueError", `${name}() did not find the text; find() gives -1 instead`);
  return at;
}

type Stands = (text: string, part: string, from: number, to: number) => boolean;

function anyStands(
  name: string,
  stands: Stands,
  self: PlainText,
  part: Value,
  start: Argument,
  end: Argument,
): boolean {
  const text = textOf(self);
  const range = textRange(name, text, start, end);
  const holds = (sought: Value) => {
    if (!isText(sought)) throw new PythonError("TypeError", `${name}() needs texts, found ${typeName(sought)}`);
    return range !== null && stands(text, textOf(sought), range.from, range.to);
  };
  if (part instanceof Tuple) return part.items.some(holds);
  return holds(part);
}
