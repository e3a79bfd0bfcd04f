import { type BytePattern, bytePattern, isSpace, latin, startOfEnd } from "./latin.ts";
import { type LiteralScan, literalScan } from "./literalScan.ts";
import type { PayloadTracker } from "./payloadTracker.ts";
import type { TagPayload, TagValue } from "./types.ts";

/** Takes bytes as characters. */
export type CharTracker = Omit<PayloadTracker, "push" | "clone"> & {
  push(char: string): void;
  clone(): CharTracker;
};

interface Form {
  readonly open: BytePattern;
  /** A closing text's pattern, for an argument's name. */
  readonly close: (name: string) => BytePattern;
  readonly isLiteral: boolean;
  readonly fence: { readonly open: string; readonly close: (name: string) => BytePattern } | undefined;
  readonly nested: boolean;
}

interface Syntax {
  /** What an argument's name begins behind. No pieces: at once. */
  readonly name: BytePattern;
  readonly begin: BytePattern;
  /** Longest `open` first. */
  readonly forms: readonly Form[];
  readonly follow: readonly string[];
  /** More of what was read is not kept. */
  readonly memory: number;
}

/**
 * - `outside`: before an argument
 * - `key`: in an argument's name
 * - `opening`: an `open` has been read which another one goes on with
 * - `value`: in a value, or behind a nested one
 * - `closed`: behind a `close` which counts if what may follow does
 */
type Mode = "outside" | "key" | "opening" | "value" | "closed";

interface OpenValue {
  readonly form: Form;
  readonly name: string;
  readonly close: BytePattern;
}

interface TagState {
  mode: Mode;
  /** The end of what was read in this mode. */
  recent: string;
  /** Without white space; in `opening` and `closed`. */
  squeezed: string;
  form: Form | undefined;
  name: string;
  /** The values that are open, the innermost last: several where values are tags. */
  open: readonly OpenValue[];
  /** White space of the `open` that is still to come. */
  trail: string;
  /** `maybe`: the value may begin with the fence, of which `recent` is the beginning. */
  fence: "maybe" | "no" | "inside";
  /** An argument of its own stands in this value: only tags follow. */
  hasTags: boolean;
  scan: LiteralScan | undefined;
}

/** Room for white space within a marker. */
const slack = 64;

export function tagTracker(payload: TagPayload): CharTracker {
  const syntax = syntaxOf(payload);
  const state: TagState = {
    mode: syntax.name.pieces.length > 0 || syntax.begin.pieces.length > 0 ? "outside" : "key",
    recent: "",
    squeezed: "",
    form: undefined,
    name: "",
    open: [],
    trail: "",
    fence: "no",
    hasTags: false,
    scan: undefined,
  };
  return trackerFrom(syntax, state);
}

function syntaxOf({ name = "", begin = "", values, follow = [] }: TagPayload): Syntax {
  const forms = new Map(values.map(formOf).map((form) => [form.open.core, form]));
  const texts = [name, begin, ...follow, ...values.flatMap((one) => [one.open, one.close + (one.fence?.close ?? "")])];
  return {
    name: bytePattern(name),
    begin: bytePattern(begin),
    forms: [...forms.values()].sort((a, b) => b.open.core.length - a.open.core.length),
    follow: follow.map((text) => bytePattern(text).core).filter((text) => text !== ""),
    memory: Math.max(...texts.map((text) => latin(text).length)) + 4 * slack,
  };
}

function formOf({ open, close, writing = "text", fence, nested = false }: TagValue): Form {
  const named = (text: string): ((name: string) => BytePattern) => {
    if (text.includes("{name}")) return (name) => bytePattern(text.replaceAll("{name}", () => name));
    const pattern = bytePattern(text);
    return () => pattern;
  };
  return {
    open: bytePattern(open),
    close: named(close),
    isLiteral: writing === "literal",
    fence: fence && { open: latin(fence.open), close: named(fence.close + close) },
    nested,
  };
}

function trackerFrom(syntax: Syntax, state: TagState): CharTracker {
  const { name: prefix, begin, forms, follow, memory } = syntax;

  function enter(mode: Mode): void {
    Object.assign(state, { mode, recent: "", squeezed: "" });
  }

  function keep(char: string): void {
    state.recent += char;
    if (state.recent.length > 2 * memory) state.recent = state.recent.slice(-memory);
  }

  function leave(): void {
    enter(prefix.pieces.length > 0 || state.open.length > 0 ? "outside" : "key");
  }

  function pushOutside(char: string): void {
    keep(char);
    if (startOfEnd(state.recent, prefix.pieces.length > 0 ? prefix : begin) >= 0) enter("key");
  }

  function pushKey(char: string): void {
    keep(char);
    for (const form of forms) {
      const { open } = form;
      const start = open.pieces.length > 0 ? startOfEnd(state.recent, open) : blankBehind(state.recent);
      if (start <= 0 || state.recent.slice(0, start).trim() === "") continue;
      const name = decode(state.recent.slice(0, start).trim());
      const mayGoOn = forms.some((one) => one !== form && one.open.core.startsWith(open.core));
      Object.assign(state, { name, form });
      if (!mayGoOn) enterValue(form);
      else {
        enter("opening");
        state.squeezed = open.core;
      }
      return;
    }
  }

  function pushOpening(char: string): void {
    state.recent += char;
    if (!isSpace(char)) state.squeezed += char;
    const longer = forms.filter(({ open }) => open.core.startsWith(state.squeezed));
    const whole = longer.find(({ open }) => open.core === state.squeezed);
    if (whole !== undefined && whole !== state.form) {
      state.form = whole;
      state.recent = "";
    }
    if (longer.length > 0 && (longer.length > 1 || whole === undefined)) return;
    const { recent } = state;
    enterValue(state.form!);
    pushAll(recent);
  }

  function enterValue(form: Form): void {
    enter("value");
    const { name } = state;
    state.open = [...state.open, { form, name, close: form.close(name) }];
    Object.assign(state, {
      trail: form.open.trail,
      fence: form.fence ? "maybe" : "no",
      hasTags: false,
      scan: form.isLiteral ? literalScan(literalOptions) : undefined,
    });
  }

  function pushValue(char: string): void {
    if (state.trail !== "" && state.recent === "") {
      const fits = state.trail.startsWith(char);
      state.trail = fits ? state.trail.slice(1) : "";
      if (fits) return;
    }
    const { form } = state.open.at(-1)!;
    if (form.isLiteral) pushLiteral(char);
    else pushText(char, form);
  }

  function pushLiteral(char: string): void {
    const scan = state.scan!;
    const { close } = state.open.at(-1)!;
    if (close.pieces.length === 0 && scan.depth === 0 && !scan.inString && ",)}]".includes(char)) {
      endValue();
      push(char);
      return;
    }
    scan.push(char);
    if (scan.inString || scan.depth > 0) state.recent = "";
    else keep(char);
    if (close.pieces.length > 0 && startOfEnd(state.recent, close) >= 0) closed();
  }

  function pushText(char: string, form: Form): void {
    keep(char);
    const { recent } = state;
    const fence = form.fence;
    if (state.fence === "maybe" && fence) {
      if (recent === fence.open) {
        const value = state.open.at(-1)!;
        state.open = [...state.open.slice(0, -1), { ...value, close: fence.close(value.name) }];
        Object.assign(state, { fence: "inside", recent: "" });
        return;
      }
      if (!fence.open.startsWith(recent)) state.fence = "no";
    }
    const { close } = state.open.at(-1)!;
    if (close.pieces.length > 0 ? startOfEnd(recent, close) >= 0 : endsByFollow(recent)) closed();
    else if (form.nested && beginsTag(recent, close)) {
      enter("key");
      state.recent = char;
    }
  }

  /** A tag within a value: what follows the text before a name does not go on with the value's own end. */
  function beginsTag(recent: string, close: BytePattern): boolean {
    const before = recent.slice(0, -1);
    return startOfEnd(before, prefix) >= 0 && !close.core.startsWith(prefix.core + recent.at(-1)!);
  }

  const endsByFollow = (recent: string): boolean => follow.some((text) => recent.endsWith(text));

  /** The value's `close` stands there. */
  function closed(): void {
    const isInner = state.open.length > 1;
    if (isInner || follow.length === 0 || state.open.at(-1)!.close.pieces.length === 0) endValue();
    else enter("closed");
  }

  function endValue(): void {
    const isInner = state.open.length > 1;
    state.open = state.open.slice(0, -1);
    state.scan = undefined;
    if (!isInner) {
      leave();
      return;
    }
    enter("value");
    Object.assign(state, { fence: "no", trail: "", hasTags: true });
  }

  function pushClosed(char: string): void {
    state.recent += char;
    if (isSpace(char)) return;
    state.squeezed += char;
    const { squeezed, recent } = state;
    if (follow.some((text) => squeezed.startsWith(text))) {
      endValue();
      pushAll(recent);
    } else if (!follow.some((text) => text.startsWith(squeezed))) {
      state.mode = "value";
      Object.assign(state, { recent: "", squeezed: "" });
      pushAll(recent);
    }
  }

  function pushAll(chars: string): void {
    for (const char of chars) push(char);
  }

  const pushIn: Readonly<Record<Mode, (char: string) => void>> = {
    outside: pushOutside,
    key: pushKey,
    opening: pushOpening,
    value: pushValue,
    closed: pushClosed,
  };

  function push(char: string): void {
    pushIn[state.mode](char);
  }

  return {
    get inPayload() {
      if (state.mode !== "value" || state.hasTags || state.trail !== "") return false;
      return state.scan === undefined || state.scan.inPayload;
    },
    push,
    clone: () => trackerFrom(syntax, { ...state, scan: state.scan?.clone() }),
  };
}

const literalOptions = { within: [], asText: false, mark: "", quotes: "\"'", loose: true };

const decoder = new TextDecoder();

const decode = (chars: string): string => decoder.decode(Uint8Array.from(chars, (char) => char.charCodeAt(0)));

/** Where white space begins that ends a name; -1: there is none. */
const blankBehind = (text: string): number => (text.trim() !== "" && isSpace(text.at(-1)!) ? text.length - 1 : -1);
