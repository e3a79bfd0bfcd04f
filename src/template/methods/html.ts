import { isPythonSpace } from "../../messages/index.ts";
import { concatTexts, mapText, type PlainText, sliceText, textOf } from "../values/text.ts";
import { codePoints, withoutSemicolon } from "./entities.ts";

/** A text with its character references replaced, as HTML 5 reads them: `&amp;`, `&#39;`, `&eacute`. */
export function unescapeHtml(text: PlainText): PlainText {
  return mapText(text, (characters) =>
    characters.includes("&") ? characters.replace(reference, resolve) : characters,
  );
}

/** The text without tags and comments, white space as single blanks, character references replaced. */
export function stripTags(text: PlainText): PlainText {
  return unescapeHtml(singleSpaced(withoutTags(text)));
}

const reference = /&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/gu;

function resolve(whole: string, name: string): string {
  if (name.startsWith("#")) {
    const digits = name.replace(/;$/, "").slice(1);
    return numbered(/^[xX]/.test(digits) ? BigInt(`0x${digits.slice(1)}`) : BigInt(digits));
  }
  const known = named(name);
  if (known !== undefined) return known;
  // The longest beginning that is a name by itself counts.
  const units = Array.from(name);
  for (let length = units.length - 1; length > 1; length--) {
    const known = named(units.slice(0, length).join(""));
    if (known !== undefined) return known + units.slice(length).join("");
  }
  return whole;
}

function named(name: string): string | undefined {
  if (name.endsWith(";")) return codePoints().get(name.slice(0, -1));
  return withoutSemicolon.has(name) ? codePoints().get(name) : undefined;
}

/** What browsers take for 0x80 to 0x9f: Windows-1252; 0: no character there. */
const windows = [
  0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0, 0,
  0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178,
];

function numbered(number: bigint): string {
  if (number === 0n || number > 0x10ffffn || (number >= 0xd800n && number <= 0xdfffn)) return "\ufffd";
  const code = Number(number);
  if (code >= 0x80 && code <= 0x9f) return String.fromCharCode(windows[code - 0x80] || code);
  return isNoCharacter(code) ? "" : String.fromCodePoint(code);
}

/** Control characters, and the code points that Unicode leaves without a character. */
function isNoCharacter(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0c && code !== 0x0d;
  return code === 0x7f || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
}

function withoutTags(self: PlainText): PlainText {
  const text = textOf(self);
  const parts: PlainText[] = [];
  let at = 0;
  for (let open = text.indexOf("<"); open !== -1; open = text.indexOf("<", at)) {
    const comment = text.startsWith("<!--", open);
    const close = comment ? text.indexOf("-->", open + 4) : text.indexOf(">", open);
    if (close === -1) break;
    parts.push(sliceText(self, at, open));
    at = close + (comment ? 3 : 1);
  }
  return at === 0 ? self : concatTexts([...parts, sliceText(self, at, text.length)]);
}

function singleSpaced(self: PlainText): PlainText {
  const text = textOf(self);
  const words: PlainText[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    while (at < text.length && !isPythonSpace(text.charCodeAt(at))) at++;
    if (at > start) words.push(...(words.length > 0 ? [" "] : []), sliceText(self, start, at));
    while (at < text.length && isPythonSpace(text.charCodeAt(at))) at++;
  }
  return concatTexts(words);
}
