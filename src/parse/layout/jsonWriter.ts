import { isPythonSpace, maxDepth, quoteJson } from "../../messages/index.ts";
import { scalarOf } from "./jsonScalar.ts";
import { afterSpace, findPart, MORE, matchAt, NO, type Pattern, type Waiting } from "./pieces.ts";

/**
 * A JSON or Python value while it is read, as plain JSON. What comes out is JSON text: what is JSON to the letter, what is
 * Python's (`'x'`, `True`, `(1,)`, a comma too many) as its JSON.
 */
export interface ValueState {
  /** `value`: one must begin. `first`: one, or the list's end. `key`: a key, or the object's end. */
  phase: "value" | "first" | "key" | "firstKey" | "colon" | "next" | "string" | "done";
  /** Closing brackets of what is open, innermost last. */
  stack: string;
  /** What ends the string that is being read: a quotation mark, or `marker`. */
  quote: string;
  isKey: boolean;
  /** A comma, and white space behind it, that is written when an item follows. */
  comma: string;
}

export interface ValueOptions {
  /** Stands around strings instead of quotation marks; nothing is escaped between. */
  readonly quote?: Pattern | undefined;
  readonly bareKeys?: boolean | undefined;
}

export const newValue = (): ValueState => ({ phase: "value", stack: "", quote: "", isKey: false, comma: "" });

/** What was read: `to` is where the next character stands; `isBad`: no value goes on so. */
export interface ValueStep {
  readonly to: number;
  readonly out: string;
  readonly isBad: boolean;
}

const closings: Readonly<Record<string, string | undefined>> = { "{": "}", "[": "]", "(": ")" };
const maxScalar = 4400;

/** Reads on from `from`, as far as is certain. */
export function writeValue(state: ValueState, waiting: Waiting, from: number, options: ValueOptions = {}): ValueStep {
  const { buf } = waiting;
  let at = from;
  let out = "";
  while (state.phase !== "done") {
    if (state.phase === "string") {
      const step = writeString(state, waiting, at, options);
      out += step.out;
      at = step.to;
      if (step.isBad) return { to: at, out, isBad: true };
      if (state.phase === "string") break;
      continue;
    }
    if (at >= buf.length) break;
    const char = buf[at];
    if (isPythonSpace(buf.charCodeAt(at))) {
      const space = " \t\n\r".includes(char) ? char : " ";
      if (state.comma !== "") state.comma += space;
      else if (state.stack !== "") out += space;
      at++;
      continue;
    }
    const closing = state.stack.at(-1);
    if (state.phase === "colon") {
      if (char !== ":") return { to: at, out, isBad: true };
      out += ":";
      at++;
      state.phase = "value";
      continue;
    }
    if (char === closing && state.phase !== "value") {
      out += state.comma.slice(1) + (char === ")" ? "]" : char);
      state.comma = "";
      state.stack = state.stack.slice(0, -1);
      at++;
      state.phase = state.stack === "" ? "done" : "next";
      continue;
    }
    if (state.phase === "next") {
      if (char !== ",") return { to: at, out, isBad: true };
      state.comma = ",";
      at++;
      state.phase = closing === "}" ? "key" : "first";
      continue;
    }
    state.isKey = state.phase === "key" || state.phase === "firstKey";
    const marker = options.quote ? matchAt(waiting, at, options.quote) : NO;
    if (marker === MORE) break;
    if (marker >= 0 || char === '"' || char === "'") {
      out += `${state.comma}"`;
      state.comma = "";
      at = marker >= 0 ? marker : at + 1;
      state.quote = marker >= 0 ? "marker" : char;
      state.phase = "string";
      continue;
    }
    if (state.isKey) {
      const end = buf.slice(at, at + 256).search(/[\n:,{}[\]"'<]/);
      if (end < 0 && buf.length - at < 256) break;
      const key = buf.slice(at, at + end).trimEnd();
      if (end <= 0 || (!options.bareKeys && !/^[\w.+-]+$/.test(key))) return { to: at, out, isBad: true };
      out += state.comma + quoteJson(key, false);
      state.comma = "";
      at += end;
      state.phase = "colon";
      continue;
    }
    const opened = closings[char];
    if (opened !== undefined) {
      if (state.stack.length >= maxDepth) return { to: at, out, isBad: true };
      out += state.comma + (char === "(" ? "[" : char);
      state.comma = "";
      state.stack += opened;
      at++;
      state.phase = opened === "}" ? "firstKey" : "first";
      continue;
    }
    let end = at;
    while (end < buf.length && end - at <= maxScalar && /[\w.+-]/.test(buf[end])) end++;
    if (end === buf.length && !waiting.eof && end - at <= maxScalar) break;
    const scalar = scalarOf(buf.slice(at, end));
    if (scalar === undefined) return { to: at, out, isBad: true };
    out += state.comma + scalar;
    state.comma = "";
    at = end;
    state.phase = state.stack === "" ? "done" : "next";
  }
  return { to: at, out, isBad: false };
}

const escaped: Readonly<Record<string, string | undefined>> = {
  "'": "'",
  a: "\\u0007",
  v: "\\u000b",
  "0": "\\u0000",
  "\n": "",
};

function writeString(state: ValueState, waiting: Waiting, from: number, { quote }: ValueOptions): ValueStep {
  const { buf } = waiting;
  let at = from;
  let out = "";
  if (state.quote === "marker" && quote) {
    const first = quote.pieces[0].text;
    for (;;) {
      const found = findPart(buf, first, at);
      out += escapeText(buf.slice(at, found));
      at = found;
      if (found >= buf.length) return { to: at, out, isBad: false };
      const end = matchAt(waiting, at, quote);
      const legal = end < 0 ? end : legalBehind(waiting, end);
      if (legal === MORE) return { to: at, out, isBad: false };
      if (legal >= 0) return closed(state, out, end);
      out += escapeText(buf[at]);
      at++;
    }
  }
  const special = state.quote === '"' ? /["\\\u0000-\u001f]/g : /["'\\\u0000-\u001f]/g;
  for (;;) {
    special.lastIndex = at;
    const found = special.exec(buf)?.index ?? buf.length;
    out += buf.slice(at, found);
    at = found;
    if (at >= buf.length) return { to: at, out, isBad: false };
    const char = buf[at];
    if (char === "\\") {
      const next = buf[at + 1];
      if (next === undefined) return { to: at, out, isBad: false };
      const length = next === "u" ? 6 : next === "x" ? 4 : next === "U" ? 10 : 2;
      if (buf.length - at < length && !waiting.eof && /^[0-9a-fA-F]*$/.test(buf.slice(at + 2)))
        return { to: at, out, isBad: false };
      const digits = buf.slice(at + 2, at + length);
      const isCode = length > 2 && digits.length === length - 2 && /^[0-9a-fA-F]+$/.test(digits);
      if ('"\\/bfnrt'.includes(next) || (next === "u" && isCode)) out += buf.slice(at, at + length);
      else if (isCode && Number.parseInt(digits, 16) <= 0x10ffff)
        out += escapeText(String.fromCodePoint(Number.parseInt(digits, 16)));
      else if (length === 2 && escaped[next] !== undefined) out += escaped[next];
      else {
        out += "\\\\";
        at++;
        continue;
      }
      at += length;
    } else if (char !== state.quote) {
      out += escapeText(char);
      at++;
    } else {
      // A single quotation mark is also an apostrophe.
      const legal = char === '"' ? at + 1 : legalBehind(waiting, at + 1);
      if (legal === MORE) return { to: at, out, isBad: false };
      if (legal >= 0) return closed(state, out, at + 1);
      out += char;
      at++;
    }
  }
}

/** A string ends before `to`. */
function closed(state: ValueState, out: string, to: number): ValueStep {
  state.phase = state.isKey ? "colon" : state.stack === "" ? "done" : "next";
  return { to, out: `${out}"`, isBad: false };
}

/** A string may end here: what follows goes on with the value or ends it. */
function legalBehind(waiting: Waiting, at: number): number {
  const next = afterSpace(waiting, at);
  if (next === MORE) return MORE;
  return next >= waiting.buf.length || ",]}):;".includes(waiting.buf[next]) ? next : NO;
}

/** Text as it stands inside a JSON string. */
export const escapeText = (text: string): string => quoteJson(text, false).slice(1, -1);
