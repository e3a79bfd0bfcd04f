import { escapeHtml } from "../methods/index.ts";
import { Dict } from "../values/containers.ts";
import { native } from "../values/native.ts";
import { str, typeName } from "../values/print.ts";
import { Markup, Undefined } from "../values/scalars.ts";
import { concatTexts, isText, type PlainText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { builtin, callMethod, noAttribute } from "./support.ts";

/** Text for HTML; what counts as escaped stays. */
export function escaped(runtime: Runtime, value: Value): Markup {
  return value instanceof Markup ? value : escapeHtml(str(runtime, value));
}

export const escapeFilter = builtin("escape", ["s"], (runtime, value) => escaped(runtime, value!));

export const forceescape = native("forceescape", ["value"], (runtime, value) => escapeHtml(str(runtime, value!)));

export const striptags = native("striptags", ["value"], (runtime, value) =>
  callMethod(runtime, new Markup(str(runtime, value!)), "striptags"),
);

/** A dict as attributes of an element; what is none or undefined is left out. */
export const xmlattr = native("xmlattr", ["d", ["autospace", true]], (runtime, value, autospace) => {
  if (!(value instanceof Dict)) return noAttribute(value!, "items");
  const parts: PlainText[] = [];
  for (const [key, field] of value.entries()) {
    runtime.charge(1);
    if (plain(field) === null || field instanceof Undefined) continue;
    if (!isText(key)) throw new PythonError("TypeError", `an attribute's name is a text, not ${typeName(key)}`);
    if (/[\t-\r />=]/.test(textOf(key))) {
      throw new PythonError(
        "ValueError",
        `"${textOf(key)}" is no attribute's name: it has white space, "/", ">" or "="`,
      );
    }
    if (parts.length > 0 || isTrue(autospace!)) parts.push(" ");
    parts.push(escaped(runtime, key).text, '="', escaped(runtime, field).text, '"');
  }
  return concatTexts(parts);
});
