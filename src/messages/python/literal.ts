import { maxDepth, maxIntegerDigits } from "../json/limits.ts";
import { JsonNumber, type JsonValue } from "../json/types.ts";

/**
 * The value that Python's `repr()` or `str()` printed so: `None`, `True`, `1.0` (the number's text is kept), `nan`, `'text'`,
 * `[1]`, `{'a': None}`; a tuple is read as an array. Undefined unless the whole text is one such value: a dict's keys must
 * be strings, and the limits of `parseJson` hold.
 *
 * @example
 * pythonLiteral("{'ok': True, 'who': \"it's\"}"); // Map { "ok" => true, "who" => "it's" }
 */
export function pythonLiteral(text: string): JsonValue | undefined {
  const reader: Reader = { text, at: 0, depth: 0 };
  const value = readValue(reader);
  skipSpace(reader);
  return reader.at === text.length ? value : undefined;
}

/** Every reading function returns undefined where its text is no literal; then all give up. */
interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

const space = /[ \t\n\r\f]*/y;
const word = /None|True|False|-?inf|nan/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;

const words: Readonly<Record<string, JsonValue>> = {
  None: null,
  True: true,
  False: false,
  nan: new JsonNumber("NaN"),
  inf: new JsonNumber("Infinity"),
  "-inf": new JsonNumber("-Infinity"),
};

const closings: Readonly<Record<string, string | undefined>> = { "[": "]", "(": ")", "{": "}" };

function readValue(reader: Reader): JsonValue | undefined {
  skipSpace(reader);
  const first = reader.text.charAt(reader.at);
  if (first === "'" || first === '"') return readString(reader);
  const closing = closings[first];
  if (closing === undefined) return readScalar(reader);
  if (reader.depth >= maxDepth) return undefined;
  reader.depth++;
  reader.at++;
  const value = first === "{" ? readDict(reader) : readItems(reader, closing);
  reader.depth--;
  return value;
}

function readScalar(reader: Reader): JsonValue | undefined {
  const named = take(reader, word);
  if (named !== undefined) return words[named];
  const digits = take(reader, number);
  if (digits === undefined) return undefined;
  const isInteger = /^-?[0-9]+$/.test(digits);
  return isInteger && digits.replace("-", "").length > maxIntegerDigits ? undefined : new JsonNumber(digits);
}

/** A list or a tuple; brackets around one item without a comma only group it. */
function readItems(reader: Reader, closing: string): JsonValue | undefined {
  const items: JsonValue[] = [];
  let hasComma = false;
  while (!takeMark(reader, closing)) {
    if (items.length > 0 && !hasComma) return undefined;
    const item = readValue(reader);
    if (item === undefined) return undefined;
    items.push(item);
    hasComma = takeMark(reader, ",");
  }
  return closing === ")" && items.length === 1 && !hasComma ? items[0] : items;
}

function readDict(reader: Reader): JsonValue | undefined {
  const fields = new Map<string, JsonValue>();
  let hasComma = true;
  while (!takeMark(reader, "}")) {
    const key = hasComma ? readValue(reader) : undefined;
    if (typeof key !== "string" || !takeMark(reader, ":")) return undefined;
    const value = readValue(reader);
    if (value === undefined) return undefined;
    fields.set(key, value);
    hasComma = takeMark(reader, ",");
  }
  return fields;
}

function readString(reader: Reader): string | undefined {
  const { text } = reader;
  const mark = text.charAt(reader.at++);
  let value = "";
  let start = reader.at;
  for (; reader.at < text.length; reader.at++) {
    const char = text.charAt(reader.at);
    if (char === "\n" || char === "\r") return undefined;
    if (char !== mark && char !== "\\") continue;
    value += text.slice(start, reader.at);
    reader.at++;
    if (char === mark) return value;
    const escaped = readEscape(reader);
    if (escaped === undefined) return undefined;
    value += escaped;
    start = reader.at--;
  }
  return undefined;
}

const escapes: Readonly<Record<string, string | undefined>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\n": "",
};

const hexDigits: Readonly<Record<string, number | undefined>> = { x: 2, u: 4, U: 8 };

const octal = /[0-7]{1,3}/y;

function readEscape(reader: Reader): string | undefined {
  const digits = take(reader, octal);
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 8));
  const char = reader.text.charAt(reader.at++);
  const plain = escapes[char];
  if (plain !== undefined) return plain;
  const length = hexDigits[char];
  // Python keeps the backslash of an escape that it does not know; names of characters (\N) are not read.
  if (length === undefined) return char === "" || char === "N" ? undefined : `\\${char}`;
  const hex = reader.text.slice(reader.at, reader.at + length);
  const code = hex.length === length && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
  if (!(code <= 0x10ffff)) return undefined;
  reader.at += length;
  return String.fromCodePoint(code);
}

function skipSpace(reader: Reader): void {
  take(reader, space);
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

function takeMark(reader: Reader, mark: string): boolean {
  skipSpace(reader);
  if (reader.text.charAt(reader.at) !== mark) return false;
  reader.at++;
  return true;
}
