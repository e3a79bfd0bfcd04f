import { strFormat } from "../formatting/format.ts";
import { List, Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { Markup } from "../values/scalars.ts";
import { isText } from "../values/text.ts";
import { Callable, type Value } from "../values/types.ts";
import { define, defineNamed, lazily, type Method, type Methods, methodTable } from "./define.ts";
import { escapeValue } from "./escape.ts";
import { stripTags, unescapeHtml } from "./html.ts";
import { join } from "./stringReplace.ts";
import { onlyMapping, stringMethods } from "./strings.ts";

export { escapeHtml } from "./escape.ts";

/** Methods of Markup: those of str, whose texts become Markup and whose arguments that are put in are escaped. */
export const markupMethods: () => Methods = lazily(
  () =>
    new Map<string, Method>([
      ...Array.from(stringMethods().values(), (base) => [base.name, ofMarkup(base)] as const),
      ...methodTable([
        define<Markup>("join", 1, 1, (runtime, self, items) => {
          const parts = toArray(runtime, items!).map((part) => escapeValue(runtime, part));
          return new Markup(join(runtime, self.text, parts));
        }),
        defineNamed<Markup>(
          "removesuffix",
          ["suffix"],
          (runtime, self, suffix) =>
            asMarkup(
              stringMethods()
                .get("removesuffix")!
                .call(runtime, { positional: [self.text, suffix!], named: null }),
            ),
          1,
        ),
        new Callable(
          "format",
          "function",
          (runtime, { positional, named }) =>
            new Markup(strFormat(runtime, positional[0] as Markup, positional.slice(1), named ?? new Map())),
        ),
        new Callable(
          "format_map",
          "function",
          (runtime, { positional, named }) =>
            new Markup(strFormat(runtime, positional[0] as Markup, [], onlyMapping(positional, named))),
        ),
        define<Markup>("escape", 1, 1, (runtime, _self, value) => new Markup(escapeValue(runtime, value!))),
        define<Markup>("unescape", 0, 0, (_runtime, self) => unescapeHtml(self.text)),
        define<Markup>("striptags", 0, 0, (_runtime, self) => stripTags(self.text)),
      ]),
    ]),
);

/** Which argument is put into the text, and so is escaped. */
const putIn: ReadonlyMap<string, number> = new Map([
  ["replace", 1],
  ["ljust", 1],
  ["rjust", 1],
  ["center", 1],
]);

function ofMarkup(base: Method): Method {
  const escaped = (putIn.get(base.name) ?? -1) + 1;
  return new Callable(base.name, "method", (runtime, { positional, named }) => {
    const args = [...positional];
    args[0] = (args[0] as Markup).text;
    if (escaped > 0 && escaped < args.length) args[escaped] = escapeValue(runtime, args[escaped]!);
    return asMarkup(base.call(runtime, { positional: args, named }));
  });
}

/** Texts, also those in a list or tuple, as Markup; other results as they are. */
function asMarkup(value: Value): Value {
  if (isText(value)) return value instanceof Markup ? value : new Markup(value);
  if (value instanceof List) return new List(value.items.map(asMarkup));
  return value instanceof Tuple ? new Tuple(value.items.map(asMarkup)) : value;
}
