import { TitoError } from "../../errors.ts";
import { maxDepth, maxIntegerDigits } from "./limits.ts";
import { JsonNumber, type JsonValue } from "./types.ts";

export interface ParseJsonOptions {
  /** Accept `NaN`, `Infinity` and `-Infinity`, which Python writes. Default true. */
  readonly allowNaN?: boolean;
}

export type ParseJsonResult = { readonly ok: true; readonly value: JsonValue } | ParseJsonFailure;

export interface ParseJsonFailure {
  readonly ok: false;
  /** `truncated`: more text could make it valid. `too_deep`, `number_too_long`: valid JSON beyond Python's limits. */
  readonly reason: "truncated" | "malformed" | "too_deep" | "number_too_long";
  readonly message: string;
  /** UTF-16 index in the text. */
  readonly position: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

/**
 * Reads JSON and loses nothing: numbers keep their text, objects their keys' order (a repeated key has its last value at its
 * first place, as in Python). Accepts exactly what Python's `json.loads` accepts, its limits included: 1000 levels of nesting,
 * integers of 4300 digits.
 *
 * @throws TitoError `invalid_json`, with `position`, `line`, `column` and `reason` in `details`.
 * @example
 * parseJson('{"2": 1.0, "1": []}'); // Map { "2" => JsonNumber("1.0"), "1" => [] }
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): JsonValue {
  const result = tryParseJson(text, options);
  if (result.ok) return result.value;
  const { message, position, line, column, reason } = result;
  throw new TitoError(
    "invalid_json",
    `Invalid JSON at line ${line}, column ${column}: ${message}. Pass text that Python's json.loads accepts.`,
    { details: { reason, position, line, column } },
  );
}

/** `parseJson` as a value: for model output, which may be anything. */
export function tryParseJson(text: string, options: ParseJsonOptions = {}): ParseJsonResult {
  try {
    return { ok: true, value: read(text, options.allowNaN ?? true) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { reason, message, position } = error;
    const before = text.slice(0, position);
    const lineStart = before.lastIndexOf("\n") + 1;
    const line = lineStart === 0 ? 1 : before.split("\n").length;
    return { ok: false, reason, message, position, line, column: position - lineStart + 1 };
  }
}

/** Not an Error: refusing is the common case for model output, and a stack trace is most of an Error's price. */
class Fault {
  readonly reason: ParseJsonFailure["reason"];
  readonly message: string;
  readonly position: number;

  constructor(reason: ParseJsonFailure["reason"], message: string, position: number) {
    this.reason = reason;
    this.message = message;
    this.position = position;
  }
}

const escapes: Readonly<Record<string, string | undefined>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const quote = 0x22;
const minus = 0x2d;
const comma = 0x2c;
const backslash = 0x5c;

function read(text: string, allowNaN: boolean): JsonValue {
  let at = 0;
  let depth = 0;

  skipSpace();
  const value = readValue();
  skipSpace();
  if (at < text.length) throw new Fault("malformed", `expected the end, found ${here()}`, at);
  return value;

  function here(): string {
    return at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at)!)) : "the end";
  }

  function fail(expected: string): never {
    throw new Fault(at < text.length ? "malformed" : "truncated", `expected ${expected}, found ${here()}`, at);
  }

  function skipSpace(): void {
    for (;;) {
      const c = text.charCodeAt(at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      at++;
    }
  }

  function readValue(): JsonValue {
    switch (text.charCodeAt(at)) {
      case quote:
        at++;
        return readString();
      case 0x7b:
        return readObject();
      case 0x5b:
        return readArray();
      case 0x74:
        return readWord("true", true);
      case 0x66:
        return readWord("false", false);
      case 0x6e:
        return readWord("null", null);
      case 0x4e:
        return readConstant("NaN");
      case 0x49:
        return readConstant("Infinity");
      default:
        return readNumber();
    }
  }

  function readWord<T>(word: string, value: T): T {
    if (!text.startsWith(word, at)) {
      if (word.startsWith(text.slice(at, at + word.length))) at = text.length;
      fail(word);
    }
    at += word.length;
    return value;
  }

  function readConstant(word: string): JsonNumber {
    if (!allowNaN) fail("a value");
    return new JsonNumber(readWord(word, word));
  }

  function descend(): void {
    if (++depth > maxDepth) throw new Fault("too_deep", `nested deeper than ${maxDepth} levels`, at);
    at++;
    skipSpace();
  }

  function readArray(): readonly JsonValue[] {
    descend();
    const items: JsonValue[] = [];
    if (text.charCodeAt(at) !== 0x5d) {
      for (;;) {
        items.push(readValue());
        skipSpace();
        const c = text.charCodeAt(at);
        if (c === 0x5d) break;
        if (c !== comma) fail('"," or "]"');
        at++;
        skipSpace();
      }
    }
    at++;
    depth--;
    return items;
  }

  function readObject(): JsonValue {
    descend();
    const fields = new Map<string, JsonValue>();
    if (text.charCodeAt(at) !== 0x7d) {
      for (;;) {
        if (text.charCodeAt(at) !== quote) fail("a key in double quotes");
        at++;
        const key = readString();
        skipSpace();
        if (text.charCodeAt(at) !== 0x3a) fail('":"');
        at++;
        skipSpace();
        fields.set(key, readValue());
        skipSpace();
        const c = text.charCodeAt(at);
        if (c === 0x7d) break;
        if (c !== comma) fail('"," or "}"');
        at++;
        skipSpace();
      }
    }
    at++;
    depth--;
    return fields;
  }

  function readString(): string {
    let whole = "";
    let start = at;
    // A local index: `at` lives in a closure's context, which would double the time for long strings.
    let i = at;
    for (;;) {
      const c = text.charCodeAt(i);
      if (c === quote) {
        at = i + 1;
        return start === i ? whole : whole + text.slice(start, i);
      }
      if (c === backslash) {
        whole += text.slice(start, i);
        at = i + 1;
        whole += readEscape();
        start = i = at;
      } else if (c >= 0x20) i++;
      else {
        at = i;
        fail("a closing quote, or control characters as escapes");
      }
    }
  }

  function readEscape(): string {
    if (text.charCodeAt(at) === 0x75) {
      at++;
      return String.fromCharCode(readHex());
    }
    const plain = escapes[text.charAt(at)];
    if (plain === undefined) fail('an escape ("\\", "/", "b", "f", "n", "r", "t", "u" or a quote)');
    at++;
    return plain;
  }

  function readHex(): number {
    let unit = 0;
    for (let i = 0; i < 4; i++) {
      const c = text.charCodeAt(at);
      if (c >= 0x30 && c <= 0x39) unit = unit * 16 + c - 0x30;
      else if ((c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66)) unit = unit * 16 + (c & 0x0f) + 9;
      else fail("four hexadecimal digits");
      at++;
    }
    return unit;
  }

  function readDigits(): number {
    const start = at;
    for (let c = text.charCodeAt(at); c >= 0x30 && c <= 0x39; c = text.charCodeAt(at)) at++;
    return at - start;
  }

  function readNumber(): JsonNumber {
    const start = at;
    if (text.charCodeAt(at) === minus) at++;
    if (at > start && allowNaN && text.charCodeAt(at) === 0x49) {
      readWord("Infinity", null);
      return new JsonNumber("-Infinity");
    }
    let integerDigits = 1;
    if (text.charCodeAt(at) === 0x30) at++;
    else {
      integerDigits = readDigits();
      if (integerDigits === 0) fail(at > start ? "a digit" : "a value");
    }
    let float = false;
    if (text.charCodeAt(at) === 0x2e) {
      float = true;
      at++;
      if (readDigits() === 0) fail("a digit after the point");
    }
    const e = text.charCodeAt(at);
    if (e === 0x65 || e === 0x45) {
      float = true;
      at++;
      const sign = text.charCodeAt(at);
      if (sign === 0x2b || sign === minus) at++;
      if (readDigits() === 0) fail("a digit in the exponent");
    }
    if (!float && integerDigits > maxIntegerDigits) {
      throw new Fault("number_too_long", `an integer of more than ${maxIntegerDigits} digits`, start);
    }
    return new JsonNumber(text.slice(start, at));
  }
}
