// A tokenizer.json is 10 MB of which nearly all is one object and one array. Parsed whole they become half a million
// strings; so the text stays bytes, members are found by their place, and only what is small is parsed.
import { TitoError } from "../../../errors.ts";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Half-open range of bytes that hold one JSON value. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export function invalidJson(at: number): TitoError {
  return new TitoError("tokenizer_invalid", `The tokenizer's JSON is malformed at byte ${at}. Check the file.`, {
    details: { byte: at },
  });
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 10 || bytes[at] === 13 || bytes[at] === 9) at++;
  return at;
}

/** The end of the string whose opening quote is at `from`. */
export function skipString(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) throw invalidJson(from);
  let at = from + 1;
  while (bytes[at] !== QUOTE) {
    if (at >= bytes.length) throw invalidJson(from);
    at += bytes[at] === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

/** The end of the value at `from`. */
export function skipValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; ) {
    switch (bytes[at]) {
      case QUOTE:
        at = skipString(bytes, at);
        if (depth === 0) return at;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        at++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 0) return at;
        at++;
        if (--depth === 0) return at;
        break;
      case COMMA:
        if (depth === 0) return at;
        at++;
        break;
      default:
        at++;
    }
  }
  if (depth > 0) throw invalidJson(from);
  return bytes.length;
}

/**
 * Walks the object or array at `from`. `visit` gets where an item starts (a member's key) and returns where it ends.
 * Returns the end of the whole.
 */
export function walkItems(bytes: Uint8Array, from: number, visit: (at: number) => number): number {
  const close = bytes[from] === OPEN_BRACE ? CLOSE_BRACE : bytes[from] === OPEN_BRACKET ? CLOSE_BRACKET : -1;
  if (close < 0) throw invalidJson(from);
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(bytes, visit(at));
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== COMMA) throw invalidJson(at);
    at = skipSpace(bytes, at + 1);
  }
}

/** Where the value of the member with a key that ends at `from` starts. */
export function skipColon(bytes: Uint8Array, from: number): number {
  const at = skipSpace(bytes, from);
  if (bytes[at] !== COLON) throw invalidJson(at);
  return skipSpace(bytes, at + 1);
}

/** Members of an object, unparsed. Of two equal keys the last counts. */
export type JsonMembers = Map<string, JsonSpan>;

/**
 * Notes where the members of the object at `from` are and returns its end. `pass` finds the end of a member's value; the
 * value is gone through once, so one that wants to look inside does it there.
 */
export function readMembers(
  bytes: Uint8Array,
  from: number,
  into: JsonMembers,
  pass: (key: string, start: number) => number = (_, start) => skipValue(bytes, start),
): number {
  return walkItems(bytes, from, (at) => {
    const keyEnd = skipString(bytes, at);
    const start = skipColon(bytes, keyEnd);
    const key = parseSpan(bytes, { start: at, end: keyEnd }) as string;
    const end = pass(key, start);
    into.set(key, { start, end });
    return end;
  });
}

/** The parsed value of a span. */
export function parseSpan(bytes: Uint8Array, { start, end }: JsonSpan): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8"));
  } catch {
    throw invalidJson(start);
  }
}
