import { scalarOf } from "./jsonScalar.ts";

/** JSON text that breaks off, closed: open strings, lists and objects are; a key without a value and half a word are dropped. */
export function closedJson(text: string): string {
  let safe = 0;
  let safeClosers = "";
  let closers = "";
  let at = 0;
  let isKey = false;
  const keep = () => {
    safe = at;
    safeClosers = closers;
  };
  while (at < text.length) {
    const char = text[at];
    if (char === "{" || char === "[") {
      closers = (char === "{" ? "}" : "]") + closers;
      isKey = char === "{";
      at++;
      keep();
    } else if (char === "}" || char === "]") {
      closers = closers.slice(1);
      isKey = false;
      at++;
      keep();
    } else if (char === '"') {
      const start = at++;
      while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
      if (at >= text.length) {
        if (isKey) break;
        return `${text.slice(0, start)}${withoutCutEscape(text.slice(start))}"${closers}`;
      }
      at++;
      if (!isKey) keep();
    } else if (/[-\w]/.test(char)) {
      const start = at;
      while (at < text.length && /[-+.\w]/.test(text[at])) at++;
      if (at >= text.length && scalarOf(text.slice(start)) === undefined) break;
      keep();
    } else {
      if (char === ",") isKey = closers.startsWith("}");
      else if (char === ":") isKey = false;
      at++;
    }
  }
  return text.slice(0, safe) + safeClosers;
}

/** A string without an escape that breaks off, or half of a character that two escapes make. */
function withoutCutEscape(text: string): string {
  const last =
    /(?:^|[^\\])(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?)$/.exec(
      text,
    );
  return last ? text.slice(0, text.length - last[1].length) : text;
}
