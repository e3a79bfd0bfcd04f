import { pythonLstrip, pythonRstrip } from "../../messages/index.ts";
import { type PlainText, sliceText, textOf } from "../values/text.ts";
import { optionalText, textArgument } from "./arguments.ts";
import { type Argument, define, methodTable } from "./define.ts";
import { endsAt, startsAt } from "./search.ts";

export const stripMethods = methodTable([
  define<PlainText>("strip", 0, 1, (_runtime, self, characters) =>
    strip(self, charactersOf("strip", characters), true, true),
  ),
  define<PlainText>("lstrip", 0, 1, (_runtime, self, characters) =>
    strip(self, charactersOf("lstrip", characters), true, false),
  ),
  define<PlainText>("rstrip", 0, 1, (_runtime, self, characters) =>
    strip(self, charactersOf("rstrip", characters), false, true),
  ),
  define<PlainText>("removeprefix", 1, 1, (_runtime, self, prefix) => {
    const text = textOf(self);
    const cut = textOf(textArgument("removeprefix", prefix!));
    return startsAt(text, cut, 0, text.length) ? sliceText(self, cut.length, text.length) : self;
  }),
  define<PlainText>("removesuffix", 1, 1, (_runtime, self, suffix) => {
    const text = textOf(self);
    const cut = textOf(textArgument("removesuffix", suffix!));
    return endsAt(text, cut, 0, text.length) ? sliceText(self, 0, text.length - cut.length) : self;
  }),
]);

function charactersOf(name: string, value: Argument): string | undefined {
  const characters = optionalText(name, value);
  return characters === undefined ? undefined : textOf(characters);
}

/** Cuts white space, or the given characters, off one end or both. */
export function strip(self: PlainText, characters: string | undefined, left: boolean, right: boolean): PlainText {
  const text = textOf(self);
  const end = right ? pythonRstrip(text, characters).length : text.length;
  const start = left ? end - pythonLstrip(text.slice(0, end), characters).length : 0;
  return start === 0 && end === text.length ? self : sliceText(self, start, end);
}
