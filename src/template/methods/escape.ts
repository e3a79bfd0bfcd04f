import { str } from "../values/print.ts";
import { Markup, type Text } from "../values/scalars.ts";
import { mapText, type PlainText } from "../values/text.ts";
import type { Runtime, Value } from "../values/types.ts";

/** A text escaped for HTML; Markup is taken as escaped already. */
export function escapeHtml(text: Text): Markup {
  return text instanceof Markup ? text : new Markup(escapeText(text));
}

/** What `escape` makes of any value: its `str()`, escaped unless it is Markup. */
export function escapeValue(runtime: Runtime, value: Value): PlainText {
  return value instanceof Markup ? value.text : escapeText(str(runtime, value));
}

/** A text escaped for HTML, also if it has been. */
export function escapeText(text: PlainText): PlainText {
  return mapText(text, (characters) => characters.replace(/[&<>'"]/g, (character) => escapes[character]!));
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};
