import { isPythonSpace } from "../../messages/python/index.ts";
import { decodeEscapes } from "./stringEscapes.ts";
import { SyntaxFault } from "./syntaxFault.ts";
import type { Operator, Token } from "./tokens.ts";

const FLOAT = /\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
/** Four characters that joined the identifiers in Unicode 15.1 stay out, as in Python 3.11. */
const WORD = /(?:(?!\u200c|\u200d|\u30fb|\uff65)[\p{L}\p{N}\p{XID_Continue}_])+/uy;
const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;

/** Python refuses longer decimals. */
const LONGEST_DECIMAL = 4300;

const PAIRS: ReadonlySet<string> = new Set(["//", "**", "==", "!=", ">=", "<="]);
const SINGLES: ReadonlySet<string> = new Set("+-/*%~[](){}><=.:|,;");
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

/**
 * Appends the tokens of the tag or expression that has begun before `from`, its end or the template's end among them.
 * Returns the offset behind the white space that the end takes away. Inside brackets an end is not looked for.
 * Throws a SyntaxFault.
 */
export function lexTag(source: string, from: number, kind: "tag" | "print", tokens: Token[]): number {
  const closers: string[] = [];
  const closing = kind === "tag" ? "%}" : "}}";
  const type = kind === "tag" ? "tagEnd" : "printEnd";
  let at = from;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (isPythonSpace(code)) {
      at += 1;
      continue;
    }
    if (closers.length === 0) {
      if (source.startsWith(closing, at)) {
        tokens.push({ type, value: type, at, end: at + 2 });
        at += 2;
        return kind === "tag" && source[at] === "\n" ? at + 1 : at;
      }
      if ((code === MINUS || (code === PLUS && kind === "tag")) && source.startsWith(closing, at + 1)) {
        tokens.push({ type, value: type, at, end: at + 3 });
        return code === MINUS ? behindSpace(source, at + 3) : at + 3;
      }
    }
    const token = isDigit(code)
      ? lexNumber(source, at)
      : isWord(code)
        ? lexName(source, at)
        : code === SINGLE_QUOTE || code === DOUBLE_QUOTE
          ? lexString(source, at, code)
          : lexOperator(source, at, closers);
    tokens.push(token);
    at = token.end;
  }
  return at;
}

const PLUS = 0x2b;
const MINUS = 0x2d;
const SINGLE_QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOT = 0x2e;

/** The offset behind the white space at `at`. */
export function behindSpace(source: string, at: number): number {
  let end = at;
  while (end < source.length && isPythonSpace(source.charCodeAt(end))) end += 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Every character that is not ASCII is read as part of a name first. */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || isDigit(code) || code >= 0x80
  );
}

function lexName(source: string, at: number): Token {
  let end = at;
  while (end < source.length) {
    const code = source.charCodeAt(end);
    if (code >= 0x80) return lexUnicodeName(source, at);
    if (!isWord(code)) break;
    end += 1;
  }
  return { type: "name", value: source.slice(at, end), at, end };
}

function lexUnicodeName(source: string, at: number): Token {
  WORD.lastIndex = at;
  const name = WORD.exec(source)?.[0];
  if (name === undefined) throw unexpected(source, at);
  const end = at + name.length;
  if (!IDENTIFIER.test(name)) throw new SyntaxFault(`"${name}" is not a name`, at);
  return { type: "name", value: name, at, end };
}

function lexNumber(source: string, at: number): Token {
  // `x.0.5` is two subscripts.
  const float = source.charCodeAt(at - 1) === DOT ? undefined : matchAt(FLOAT, source, at);
  if (float !== undefined) {
    const value = { kind: "float", value: Number(float.replaceAll("_", "")) } as const;
    return { type: "float", value, at, end: at + float.length };
  }
  const text = matchAt(INTEGER, source, at)!;
  const digits = text.replaceAll("_", "");
  if (digits.length > LONGEST_DECIMAL && isDigit(digits.charCodeAt(1)))
    throw new SyntaxFault(`an integer of more than ${LONGEST_DECIMAL} digits`, at);
  const small = Number(digits);
  const value = Number.isSafeInteger(small) ? small : BigInt(digits);
  return { type: "integer", value, at, end: at + text.length };
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function lexString(source: string, at: number, quote: number): Token {
  let escaped = false;
  let end = at + 1;
  while (end < source.length) {
    const code = source.charCodeAt(end);
    if (code === quote) {
      const inside = source.slice(at + 1, end);
      return { type: "string", value: escaped ? decodeEscapes(inside, at + 1) : inside, at, end: end + 1 };
    }
    if (code === BACKSLASH) {
      escaped = true;
      end += 1;
    }
    end += 1;
  }
  throw new SyntaxFault("a string that is never closed", at);
}

function lexOperator(source: string, at: number, closers: string[]): Token {
  const pair = source.slice(at, at + 2);
  const operator = PAIRS.has(pair) ? pair : source[at]!;
  if (operator.length === 1 && !SINGLES.has(operator)) throw unexpected(source, at);
  const closer = CLOSERS.get(operator);
  if (closer !== undefined) closers.push(closer);
  else if (operator === ")" || operator === "]" || operator === "}") {
    const expected = closers.pop();
    if (expected === undefined) throw new SyntaxFault(`"${operator}" closes nothing`, at);
    if (expected !== operator) throw new SyntaxFault(`"${operator}" where "${expected}" should close`, at);
  }
  return { type: operator as Operator, value: operator, at, end: at + operator.length };
}

function unexpected(source: string, at: number): SyntaxFault {
  return new SyntaxFault(`unexpected character "${String.fromCodePoint(source.codePointAt(at)!)}"`, at);
}
