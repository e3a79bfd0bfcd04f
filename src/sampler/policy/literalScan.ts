import { isSpace } from "./latin.ts";

/** How a value is written whose strings are payload. Texts are UTF-8 bytes as characters. */
export interface LiteralOptions {
  /** Keys that lead from the outer object to the arguments, null for any. Strings elsewhere are no payload. */
  readonly within: readonly (string | null)[];
  /** The arguments are a string that holds JSON text. */
  readonly asText: boolean;
  /** Stands around strings, within which nothing is escaped; `""`: nothing does. */
  readonly mark: string;
  /** Characters around strings in which a backslash escapes. */
  readonly quotes: string;
  /** A string outside of all brackets is a value, too. */
  readonly loose: boolean;
}

/** Follows JSON, or what is like it, byte by byte: brackets, strings, and whether a string is a key. */
export interface LiteralScan {
  /** A payload string is open. */
  readonly inPayload: boolean;
  readonly inString: boolean;
  /** How many brackets are open. */
  readonly depth: number;
  push(char: string): void;
  clone(): LiteralScan;
}

interface Container {
  readonly open: string;
  /** How many keys of the path lead to it; -1: it is not on the path. */
  readonly level: number;
}

interface ScanState {
  stack: readonly Container[];
  /** An object's key is next. */
  expectsKey: boolean;
  /** As in `Container`, of the next value. */
  level: number;
  /** What ends the string that is open; `""`: none is. */
  string: string;
  isKey: boolean;
  isEscaped: boolean;
  /** Hexadecimal digits of an escape that are missing, and their value so far. */
  digits: number;
  code: number;
  /** The key as far as it is read. */
  key: string;
  /** How much of the mark has been read. */
  marked: number;
  /** A mark has been read within a string: it ends it if what follows fits. */
  mayEnd: boolean;
}

const start: Readonly<ScanState> = {
  stack: [],
  expectsKey: false,
  level: 0,
  string: "",
  isKey: false,
  isEscaped: false,
  digits: 0,
  code: 0,
  key: "",
  marked: 0,
  mayEnd: false,
};

const closers = "}])";
const escapes: Readonly<Record<string, string | undefined>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/** More of a key is not looked at. */
const maxKey = 256;

/** The arguments' own text, where they are a string. */
const innerOptions: LiteralOptions = { within: [], asText: false, mark: "", quotes: '"', loose: false };

/** Nothing makes it throw: what is no JSON has brackets and quotes all the same, or no payload. */
export function literalScan(options: LiteralOptions): LiteralScan {
  return scanFrom(options, { ...start }, undefined);
}

function scanFrom(options: LiteralOptions, state: ScanState, within: LiteralScan | undefined): LiteralScan {
  const { within: path, asText, mark, quotes, loose } = options;
  let inner = within;
  const isPayload = () => state.string !== "" && !state.isKey && state.level === path.length;

  function open(string: string): void {
    Object.assign(state, { ...start, stack: state.stack, level: state.level, string, isKey: state.expectsKey });
    inner = asText && isPayload() ? literalScan(innerOptions) : undefined;
  }

  function close(): void {
    const own = state.stack.at(-1)?.level ?? 0;
    const fits = own >= 0 && (own === path.length || path[own] === null || path[own] === state.key);
    if (state.isKey) state.level = fits ? Math.min(own + 1, path.length) : -1;
    inner = undefined;
    state.string = "";
    state.expectsKey = false;
    state.mayEnd = false;
    state.marked = 0;
  }

  function said(char: string): void {
    if (state.isKey && state.key.length < maxKey) state.key += char;
    inner?.push(char);
  }

  function pushString(char: string): void {
    if (state.digits > 0) {
      state.code = state.code * 16 + Number.parseInt(char, 16);
      state.digits--;
      if (state.digits === 0) said(state.code < 0x80 ? String.fromCharCode(state.code) : "?");
    } else if (state.isEscaped) {
      state.isEscaped = false;
      if (char === "u") Object.assign(state, { digits: 4, code: 0 });
      else said(escapes[char] ?? char);
    } else if (char === "\\") state.isEscaped = true;
    else if (char === state.string) close();
    else said(char);
  }

  /** The next character of a mark; the mark begins anew where it breaks off. */
  function completesMark(char: string): boolean {
    const isNext = char === mark[state.marked];
    state.marked = isNext ? state.marked + 1 : char === mark[0] ? 1 : 0;
    return state.marked === mark.length;
  }

  function pushMarked(char: string): void {
    if (state.mayEnd) {
      if (isSpace(char)) return;
      if (`${closers},:`.includes(char)) {
        close();
        pushOutside(char);
        return;
      }
      state.mayEnd = false;
    }
    if (completesMark(char)) Object.assign(state, { mayEnd: true, marked: 0 });
    if (state.isKey && state.key.length < maxKey) state.key += char;
  }

  function pushOutside(char: string): void {
    if (mark !== "") {
      if (completesMark(char)) {
        open(mark);
        return;
      }
      if (state.marked > 0) return;
    }
    const { stack } = state;
    if (quotes.includes(char)) {
      if (stack.length > 0 || loose) open(char);
    } else if ("{[(".includes(char)) {
      state.level = stack.length === 0 ? 0 : state.level;
      state.stack = [...stack, { open: char, level: state.level }];
      state.expectsKey = char === "{";
    } else if (closers.includes(char)) {
      state.stack = stack.slice(0, -1);
      state.expectsKey = false;
      state.level = state.stack.at(-1)?.level ?? 0;
    } else if (char === ",") {
      const parent = stack.at(-1);
      state.expectsKey = parent?.open === "{";
      state.level = parent?.level ?? 0;
    } else if (char === ":") state.expectsKey = false;
  }

  return {
    get inPayload() {
      return isPayload() && !state.mayEnd && (inner === undefined || inner.inPayload);
    },
    get inString() {
      return state.string !== "";
    },
    get depth() {
      return state.stack.length;
    },
    push(char) {
      if (state.string === "") pushOutside(char);
      else if (mark !== "" && state.string === mark) pushMarked(char);
      else pushString(char);
    },
    clone: () => scanFrom(options, { ...state }, inner?.clone()),
  };
}
