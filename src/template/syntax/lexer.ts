import { isPythonSpace } from "../../messages/python/index.ts";
import { behindSpace, lexTag } from "./lexTag.ts";
import { SyntaxFault } from "./syntaxFault.ts";
import type { Token } from "./tokens.ts";

const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*";
const RAW_BEGIN = new RegExp(`\\{%[-+]?${SPACE}raw${SPACE}(?:-%\\}${SPACE}|%\\})`, "y");
const RAW_END = new RegExp(`\\{%([-+]?)${SPACE}endraw${SPACE}(?:\\+%\\}|-%\\}${SPACE}|%\\}\\n?)`, "y");

/** Every line break as `\n`, and without the last one. */
export function normaliseSource(source: string): string {
  const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/**
 * The tokens of a normalised template, with the white space control that chat templates are written for: a tag or comment that
 * is first on its line takes the white space before it, and takes one line break behind it; `-` takes all white space, `+` none.
 * The last token is `eof`. Throws a SyntaxFault.
 */
export function lex(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const begin = findDelimiter(source, at);
    if (begin < 0) {
      pushText(tokens, source, at, source.length);
      break;
    }
    const sign = signAt(source, begin + 2);
    const second = source[begin + 1];
    pushText(tokens, source, at, textEnd(source, at, begin, second === "{" && sign === "" ? "+" : sign));
    const inside = begin + 2 + sign.length;
    if (second === "#") at = behindComment(source, begin, inside);
    else if (second === "{") {
      tokens.push({ type: "printBegin", value: "printBegin", at: begin, end: inside });
      at = lexTag(source, inside, "print", tokens);
    } else {
      const raw = behindRawBegin(source, begin);
      if (raw >= 0) at = lexRaw(source, begin, raw, tokens);
      else {
        tokens.push({ type: "tagBegin", value: "tagBegin", at: begin, end: inside });
        at = lexTag(source, inside, "tag", tokens);
      }
    }
  }
  tokens.push({ type: "eof", value: "eof", at: source.length, end: source.length });
  return tokens;
}

function findDelimiter(source: string, from: number): number {
  let at = source.indexOf("{", from);
  while (at >= 0) {
    const next = source[at + 1];
    if (next === "{" || next === "%" || next === "#") return at;
    at = source.indexOf("{", at + 1);
  }
  return -1;
}

type Sign = "" | "-" | "+";

function signAt(source: string, at: number): Sign {
  const char = source[at];
  return char === "-" || char === "+" ? char : "";
}

/** Where the text from `from` ends that stands before a delimiter at `to`. */
function textEnd(source: string, from: number, to: number, sign: Sign): number {
  if (sign === "+") return to;
  let end = to;
  while (end > from && isPythonSpace(source.charCodeAt(end - 1)) && (sign === "-" || source[end - 1] !== "\n"))
    end -= 1;
  const cut = sign === "-" || end === 0 || source[end - 1] === "\n";
  return cut ? end : to;
}

function pushText(tokens: Token[], source: string, at: number, end: number): void {
  if (end > at) tokens.push({ type: "text", value: source.slice(at, end), at, end });
}

function behindComment(source: string, begin: number, inside: number): number {
  const close = source.indexOf("#}", inside);
  if (close < 0) {
    // Jinja takes a comment that ends with the template before it has begun.
    if (inside >= source.length) return source.length;
    throw new SyntaxFault(`a comment that is never closed with "#}"`, begin);
  }
  const end = close + 2;
  const sign = close > inside ? signAt(source, close - 1) : "";
  if (sign === "-") return behindSpace(source, end);
  return sign === "" && source[end] === "\n" ? end + 1 : end;
}

/** The offset behind `{% raw %}`, -1 if there is none at `at`. */
function behindRawBegin(source: string, at: number): number {
  RAW_BEGIN.lastIndex = at;
  return RAW_BEGIN.test(source) ? RAW_BEGIN.lastIndex : -1;
}

function lexRaw(source: string, begin: number, from: number, tokens: Token[]): number {
  if (from >= source.length) return from;
  for (let at = source.indexOf("{%", from); at >= 0; at = source.indexOf("{%", at + 1)) {
    RAW_END.lastIndex = at;
    const end = RAW_END.exec(source);
    if (end === null) continue;
    pushText(tokens, source, from, textEnd(source, from, at, end[1] as Sign));
    return at + end[0].length;
  }
  throw new SyntaxFault(`raw text that is never closed with "{% endraw %}"`, begin);
}
