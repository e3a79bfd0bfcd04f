import {
  compareCodePoints,
  isPythonSpace,
  type JsonInput,
  JsonNumber,
  type JsonValue,
  maxDepth,
  objectEntries,
  pythonJson,
  pythonStr,
  pythonStrip,
  toPlain,
  tryParseJson,
} from "../messages/index.ts";
import { type Atom, type CallBody, type CallElement, type CallText, isBlank, knownStatus } from "../parse/index.ts";

/*
 * Values as Gemma's format has them: keys without quotes, strings between a token of their own, ▸ here:
 *
 *   call:{name}{city:▸Zürich▸,days:[1,2.5],nested:{a:null,b:true}}
 */

/** A piece of a printed value: its text, or null for the token around strings. */
export type ValuePiece = string | null;

/**
 * - `bare`: keys as they are and in the order of their lower-case letters, numbers as Python prints them
 * - `quoted`: the same with keys between quotes
 * - `exact`: keys in their own order, quoted where they could not be read otherwise; numbers by their text
 */
export type ValueStyle = "bare" | "quoted" | "exact";

/** Is it an object, and no list and no number? */
export function isFields(value: JsonInput | undefined): value is ReadonlyMap<string, JsonInput> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

export function valuePieces(value: JsonInput, style: ValueStyle): ValuePiece[] {
  if (value === null) return ["null"];
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return [value ? "true" : "false"];
  if (value instanceof JsonNumber) return [style === "exact" ? value.text : pythonStr(value)];
  if (isFields(value)) return fieldPieces(objectEntries(value), style);
  if (!Array.isArray(value)) return [pythonStr(value)];
  return ["[", ...listed(value.map((item: JsonInput) => valuePieces(item, style))), "]"];
}

/** An object by its fields. */
export function fieldPieces(fields: readonly (readonly [key: string, value: JsonInput])[], style: ValueStyle) {
  const members = (style === "exact" ? fields : inKeyOrder(fields)).map(([key, value]) => {
    const isQuoted = style === "quoted" || (style === "exact" && !isPlainKey(key));
    return [...(isQuoted ? quoted(key) : [key]), ":", ...valuePieces(value, style)];
  });
  return ["{", ...listed(members), "}"];
}

export const quoted = (text: string): ValuePiece[] => [null, text, null];

/** With commas between. */
export const listed = (items: readonly (readonly ValuePiece[])[]): ValuePiece[] =>
  items.flatMap((item, at) => (at === 0 ? item : [",", ...item]));

export function inKeyOrder<Field extends readonly [key: string, value: unknown]>(fields: readonly Field[]): Field[] {
  return fields.toSorted(([a], [b]) => compareCodePoints(a.toLowerCase(), b.toLowerCase()));
}

export const piecesText = (pieces: readonly ValuePiece[], quote: string): string =>
  pieces.map((piece) => piece ?? quote).join("");

const isPlainKey = (key: string): boolean => key !== "" && key === pythonStrip(key) && !/[:,{}[\]]/.test(key);

/**
 * Reads `call:{name}{…}`. Between quotes any text stands for itself; a quote ends a string only where the rest of the object
 * or list can follow it. Text without quotes that is no JSON is a string, too.
 *
 * Without this shape a call has the status `malformed_structure` and no name; arguments that cannot be read are `invalid_json`.
 */
export function gemmaCallBody(quote: number): CallBody {
  return (call, tools) => {
    const { name, reader } = readHead(call, quote);
    const unread = { name: null, arguments: null, argumentsText: null, id: null };
    if (reader === null || !pythonStrip(call.text).endsWith("}")) return { ...unread, status: "malformed_structure" };
    const value = readObject(reader);
    if (value === undefined || !isBlank(call.text.slice(reader.at))) {
      return { ...unread, name: name || null, status: "invalid_json" };
    }
    const read = { name: name || null, arguments: toPlain(value), argumentsText: jsonText(value), id: null };
    return { ...read, status: name === "" ? "missing_name" : knownStatus(name, tools) };
  };
}

/** How such a call is written. */
export const gemmaCall = (quote: string, { sorted }: { readonly sorted: boolean }): readonly CallElement[] => [
  { kind: "text", text: HEAD },
  { kind: "name" },
  {
    kind: "tagged",
    open: "{",
    close: "}",
    namePrefix: "",
    separator: ",",
    sorted,
    values: [
      {
        types: ["string", "number", "integer", "boolean", "null", "array", "object"],
        between: ":",
        suffix: "",
        writing: { kind: "literal", quote, bareKeys: true },
      },
    ],
  },
];

/** Does this call's text end inside a string? */
export function endsInGemmaString(call: CallText, quote: number): boolean {
  const { reader } = readHead(call, quote);
  return reader !== null && readObject(reader) === undefined && reader.endsInString;
}

interface Reader {
  readonly text: string;
  readonly quotes: readonly Atom[];
  /** Which of the quotes begins here. */
  readonly quoteAt: ReadonlyMap<number, number>;
  at: number;
  /** Closing brackets of the lists and objects that are open, the innermost one last. */
  readonly open: ("}" | "]")[];
  endsInString: boolean;
}

const HEAD = "call:";

/** The name, and a reader at the arguments' brace; null where there is none. */
function readHead({ text, atoms }: CallText, quote: number): { readonly name: string; readonly reader: Reader | null } {
  const start = skipSpace(text, 0);
  const brace = text.indexOf("{", start);
  if (!text.startsWith(HEAD, start) || brace < 0) return { name: "", reader: null };
  const quotes = atoms.filter(({ id }) => id === quote);
  const quoteAt = new Map(quotes.map((one, index) => [one.start, index]));
  const reader: Reader = { text, quotes, quoteAt, at: brace, open: [], endsInString: false };
  return { name: pythonStrip(text.slice(start + HEAD.length, brace)), reader };
}

/** Like all that follow it returns undefined where its text cannot be read; then all give up. */
function readValue(reader: Reader): JsonValue | undefined {
  reader.at = skipSpace(reader.text, reader.at);
  if (reader.quoteAt.has(reader.at)) return readString(reader);
  const first = reader.text.charAt(reader.at);
  if (first === "{") return readObject(reader);
  return first === "[" ? readList(reader) : readBare(reader);
}

function readObject(reader: Reader): JsonValue | undefined {
  const fields = new Map<string, JsonValue>();
  const isWhole = readItems(reader, "}", () => {
    const key = readKey(reader, reader.at);
    if (key === undefined) return false;
    reader.at = key.end;
    const value = readValue(reader);
    if (value === undefined) return false;
    fields.set(key.name, value);
    return true;
  });
  return isWhole ? fields : undefined;
}

function readList(reader: Reader): JsonValue | undefined {
  const items: JsonValue[] = [];
  const isWhole = readItems(reader, "]", () => {
    const item = readValue(reader);
    if (item !== undefined) items.push(item);
    return item !== undefined;
  });
  return isWhole ? items : undefined;
}

/** From the opening bracket to behind the closing one. */
function readItems(reader: Reader, close: "}" | "]", readItem: () => boolean): boolean {
  const { text, open } = reader;
  if (open.length >= maxDepth) return false;
  open.push(close);
  reader.at = skipSpace(text, reader.at + 1);
  let isOpen = text.charAt(reader.at) !== close;
  while (isOpen) {
    if (!readItem()) return false;
    reader.at = skipSpace(text, reader.at);
    isOpen = text.charAt(reader.at) !== close;
    if (isOpen && text.charAt(reader.at++) !== ",") return false;
  }
  reader.at++;
  open.pop();
  return true;
}

/** A key with its colon, behind which it ends. */
function readKey({ text, quotes, quoteAt }: Reader, from: number): { name: string; end: number } | undefined {
  const start = skipSpace(text, from);
  const opening = quoteAt.get(start);
  if (opening === undefined) {
    const length = text.slice(start).search(/[:,{}[\]]/);
    const name = pythonStrip(text.slice(start, start + length));
    const isKey = length > 0 && name !== "" && text.charAt(start + length) === ":";
    return isKey ? { name, end: start + length + 1 } : undefined;
  }
  for (const close of quotes.slice(opening + 1)) {
    const colon = skipSpace(text, close.end);
    if (text.charAt(colon) === ":") return { name: text.slice(quotes[opening].end, close.start), end: colon + 1 };
  }
  return undefined;
}

function readString(reader: Reader): string | undefined {
  const { text, quotes, quoteAt } = reader;
  const opening = quoteAt.get(reader.at) as number;
  for (let close = opening + 1; close < quotes.length; close++) {
    if (!endsAt(reader, close)) continue;
    reader.at = quotes[close].end;
    return text.slice(quotes[opening].end, quotes[close].start);
  }
  reader.endsInString = true;
  return undefined;
}

/** Can a string end with this quote? What is open must close, up to the text's end or a comma with another item behind it. */
function endsAt(reader: Reader, close: number): boolean {
  const { text, open, quotes } = reader;
  let at = skipSpace(text, quotes[close].end);
  let depth = open.length;
  while (depth > 0 && text.charAt(at) === open[depth - 1]) {
    depth--;
    at = skipSpace(text, at + 1);
  }
  if (depth === 0) return at === text.length;
  if (text.charAt(at) !== ",") return false;
  const next = skipSpace(text, at + 1);
  return open[depth - 1] === "]" ? next < text.length : readKey(reader, next) !== undefined;
}

const words: Readonly<Record<string, JsonValue | undefined>> = {
  true: true,
  false: false,
  null: null,
  None: null,
  nan: new JsonNumber("NaN"),
  inf: new JsonNumber("Infinity"),
  "-inf": new JsonNumber("-Infinity"),
};

function readBare(reader: Reader): JsonValue | undefined {
  const rest = reader.text.slice(reader.at);
  const length = rest.search(/[,}\]]/);
  const text = pythonStrip(length < 0 ? rest : rest.slice(0, length));
  if (text === "") return undefined;
  reader.at += length < 0 ? rest.length : length;
  const word = Object.hasOwn(words, text) ? words[text] : undefined;
  if (word !== undefined) return word;
  const json = tryParseJson(text);
  return json.ok ? json.value : text;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isPythonSpace(text.charCodeAt(at))) at++;
  return at;
}

/** JSON with the numbers' own text. */
function jsonText(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (!(value instanceof Map)) return pythonJson(value);
  return `{${[...value].map(([key, one]) => `${pythonJson(key)}: ${jsonText(one)}`).join(", ")}}`;
}
