import { type JsonInput, pythonJson, pythonRepr } from "../../messages/index.ts";
import type { JsonType, TaggedElement, TextFence, ValueForm, ValueWriting } from "../../parse/layout/layout.ts";
import type { Turn, TurnPiece } from "../probe/turn.ts";
import { wholePrefix, wholeSuffix } from "../text/diff.ts";

/** Values of each type as probes: none is empty, and none is part of another. */
export const typedValues: readonly (readonly [JsonType, JsonInput])[] = [
  ["string", "wordy"],
  ["integer", 41],
  ["number", 2.5],
  ["boolean", true],
  ["null", null],
  ["array", [17, "item"]],
  ["object", { inner: false, deep: { leaf: "end" } }],
];

/** A turn's pieces with what closes an argument by its name (`</{name}>`) made the template's own text. */
export function withoutClosingNames(turn: Turn): readonly TurnPiece[] {
  const seen = new Set<string>();
  return turn.pieces.map((piece) => {
    const { slot, text } = piece;
    if (slot?.kind === "value") seen.add(`${slot.call} ${slot.key}`);
    if (slot?.kind !== "key" || !seen.has(`${slot.call} ${slot.key}`) || text !== slot.key) return piece;
    return { ...piece, slot: null, text: "{name}" };
  });
}

/** The template's text between pieces, and the pieces, of one call. */
export interface CallGaps {
  /** Index of the first and the last piece of the call that is a slot. */
  readonly first: number;
  readonly last: number;
}

export function gapsOf(pieces: readonly TurnPiece[], call: number): CallGaps | null {
  const isOwn = ({ slot }: TurnPiece) => slot?.call === call && slot.kind !== "call";
  const first = pieces.findIndex(isOwn);
  return first < 0 ? null : { first, last: pieces.findLastIndex(isOwn) };
}

export const joined = (pieces: readonly TurnPiece[]): string => pieces.map(({ text }) => text).join("");

/** The template's text directly before a piece. */
export function gapBefore(pieces: readonly TurnPiece[], index: number): string {
  let start = index;
  while (start > 0 && pieces[start - 1]!.slot === null) start--;
  return joined(pieces.slice(start, index));
}

export function gapAfter(pieces: readonly TurnPiece[], index: number): string {
  let end = index + 1;
  while (end < pieces.length && pieces[end]!.slot === null) end++;
  return joined(pieces.slice(index + 1, end));
}

/** How two string arguments of a call are written. `close`: what follows the call's last value up to the call's end. */
export interface TaggedFrame {
  readonly open: string;
  readonly namePrefix: string;
  readonly between: string;
  readonly suffix: string;
  readonly separator: string;
  readonly sorted: boolean;
  /** What follows the last value's suffix. */
  readonly rest: string;
}

/** From a call with two string arguments; null where its arguments do not stand one by one. */
export function taggedFrame(
  pieces: readonly TurnPiece[],
  call: number,
  keys: readonly string[],
  close: string,
): TaggedFrame | null {
  const keyPieces = pieces.flatMap(({ slot }, index) => (slot?.call === call && slot.kind === "key" ? [index] : []));
  const valueAt = (key: number) =>
    pieces.findIndex(({ slot }, index) => index > key && slot?.call === call && slot.kind === "value");
  const [one, two] = keyPieces;
  if (one === undefined || two === undefined) return null;
  const value = valueAt(one);
  if (value < 0 || value > two || valueAt(two) < 0) return null;
  const lead = gapBefore(pieces, one);
  const middle = gapAfter(pieces, value);
  const { suffix, namePrefix } = splitMiddle(middle, lead, close);
  const rest = middle.slice(suffix.length);
  return {
    open: lead.slice(0, lead.length - namePrefix.length),
    namePrefix,
    between: gapBefore(pieces, value),
    suffix,
    separator: rest.slice(0, rest.length - namePrefix.length),
    sorted: pieces[one]!.slot!.key !== keys[0],
    rest: close.slice(suffix.length),
  };
}

/**
 * What stands between a value and the next name: the end of the one, which also ends the last value, and the beginning of the
 * other, which also begins the first name. Where a part could be of either, the value ends with its first whole marker.
 */
function splitMiddle(
  middle: string,
  lead: string,
  close: string,
): { readonly suffix: string; readonly namePrefix: string } {
  const longest = wholeSuffix(middle, lead);
  const most = wholePrefix(middle, close).length;
  const least = Math.min(most, middle.length - longest.length);
  for (let end = least; end <= most; end++) {
    const namePrefix = middle.slice(Math.max(end, middle.length - longest.length));
    const isWhole = end === 0 || /[>\]\s]$/.test(middle.slice(0, end));
    if (isWhole && !/^\s/.test(namePrefix)) return { suffix: middle.slice(0, end), namePrefix };
  }
  return { suffix: middle.slice(0, most), namePrefix: middle.slice(Math.max(most, middle.length - longest.length)) };
}

/** What is written from the end of an argument's name to the end of its value's suffix, with the value's own pieces. */
export interface WrittenValue {
  readonly type: JsonType;
  readonly value: JsonInput;
  readonly text: string;
  /** The text between name and value, and the value, where the value is one piece. */
  readonly between: string | null;
  readonly written: string | null;
}

export function writtenValue(
  pieces: readonly TurnPiece[],
  tail: string,
  [type, value]: readonly [JsonType, JsonInput],
): WrittenValue | null {
  const key = pieces.findIndex(({ slot }) => slot?.kind === "key");
  if (key < 0) return null;
  const whole = joined(pieces.slice(key + 1));
  if (!whole.endsWith(tail)) return null;
  const values = pieces.flatMap(({ slot }, index) => (slot?.kind === "value" ? [index] : []));
  const single = values.length === 1 ? values[0]! : -1;
  return {
    type,
    value,
    text: whole.slice(0, whole.length - tail.length),
    between: single < 0 ? null : joined(pieces.slice(key + 1, single)),
    written: single < 0 ? null : pieces[single]!.text,
  };
}

/** The forms of values by type. Types of which nothing is known are left to the last form. */
export function valueForms(frame: TaggedFrame, values: readonly WrittenValue[], escapes: boolean): ValueForm[] {
  const number = values.find(({ type }) => type === "integer");
  const quote = quoteOf(frame, number);
  if (quote !== null) {
    const plain = {
      between: number!.between!,
      suffix: number!.text.slice(number!.between!.length + number!.written!.length),
    };
    const bareKeys = values.some(({ type, text }) => type === "object" && /[{,]\s*inner\s*:/.test(text));
    const isQuote = quote === '"' || quote === "'";
    const writing: ValueWriting = {
      kind: "literal",
      // Within the quotes of JSON or Python text is escaped, unless the template only puts them around it.
      ...(isQuote && escapes ? {} : { quote }),
      ...(bareKeys && !isQuote ? { bareKeys: true } : {}),
    };
    return [{ types: allTypes, ...plain, writing }];
  }
  const forms: { types: JsonType[]; form: Omit<ValueForm, "types"> }[] = [];
  for (const one of values) {
    const form = formOf(frame, one, number);
    const known = forms.find((other) => JSON.stringify(other.form) === JSON.stringify(form));
    if (known) known.types.push(one.type);
    else forms.push({ types: [one.type], form });
  }
  const missing = allTypes.filter((type) => !forms.some(({ types }) => types.includes(type)));
  const last = forms.findLast(({ form }) => form.writing.kind !== "raw") ?? forms.at(-1);
  last?.types.push(...missing);
  return forms.map(({ types, form }) => ({ types, ...form }));
}

const allTypes: readonly JsonType[] = typedValues.map(([type]) => type);

/** What stands around strings alone: the format's values end by themselves then. */
function quoteOf({ between, suffix }: TaggedFrame, number: WrittenValue | undefined): string | null {
  if (number === undefined || number.between === null || number.written === null) return null;
  const after = number.text.slice(number.between.length + number.written.length);
  if (!between.startsWith(number.between) || between.length === number.between.length) return null;
  const quote = between.slice(number.between.length);
  return suffix === quote + after ? quote : null;
}

function formOf(frame: TaggedFrame, one: WrittenValue, number: WrittenValue | undefined): Omit<ValueForm, "types"> {
  const between = betweenOf(frame, one, number);
  const suffix = one.text.endsWith(frame.suffix) ? frame.suffix : "";
  const written = one.text.slice(between.length, one.text.length - suffix.length);
  return { between, suffix, writing: writingOf(one, written) };
}

function betweenOf(frame: TaggedFrame, one: WrittenValue, number: WrittenValue | undefined): string {
  const spelled = [pythonJson(one.value), pythonRepr(one.value)];
  if (one.between !== null && (one.type === "array" || one.type === "object")) {
    // Brackets that the template writes itself belong to the value.
    const start = spelled.map((text) => one.text.indexOf(text)).find((at) => at >= 0);
    return one.text.slice(0, start ?? one.between.length);
  }
  if (one.between !== null) return one.between;
  const start = spelled.map((text) => one.text.indexOf(text)).find((at) => at >= 0);
  if (start !== undefined) return one.text.slice(0, start);
  return (
    [number?.between, frame.between].find((text) => text !== undefined && text !== null && one.text.startsWith(text)) ??
    ""
  );
}

function writingOf({ type, value }: WrittenValue, written: string): ValueWriting {
  if (type === "string" && written === value) return { kind: "raw" };
  const trimmed = written.trim();
  if (isJsonOf(trimmed, value)) return { kind: "json" };
  if (trimmed === pythonRepr(value)) return { kind: "python" };
  const item = /<([\w-]+)>\s*17/.exec(written)?.[1];
  if (/<\/?(?:inner|deep)\b/.test(written) || item !== undefined) return { kind: "elements", item: item ?? "item" };
  return { kind: "json" };
}

function isJsonOf(text: string, value: JsonInput): boolean {
  try {
    return pythonJson(JSON.parse(text) as JsonInput) === pythonJson(value);
  } catch {
    return false;
  }
}

/** Characters for which a format may write a string in another way. */
const SPECIAL = ["<", ">", "&", "\n", '"', "'"];

/** What stands around strings that hold certain characters, and which; null where all are written alike. */
export function fenceOf(
  { between, suffix }: TaggedFrame,
  write: (text: string) => WrittenValue | null,
): TextFence | null {
  const fenced = SPECIAL.flatMap((character) => {
    const value = `one${character}two`;
    const { text } = write(value) ?? { text: "" };
    const start = text.indexOf(value);
    if (start < 0 || !text.startsWith(between) || !text.endsWith(suffix)) return [];
    const open = text.slice(between.length, start);
    const close = text.slice(start + value.length, text.length - suffix.length);
    return open.trim() === "" || close.trim() === "" ? [] : [{ character, open, close }];
  });
  const first = fenced[0];
  const same = fenced.filter(({ open, close }) => open === first!.open && close === first!.close);
  return first ? { open: first.open, close: first.close, when: same.map(({ character }) => character) } : null;
}

/** Does the template escape what stands within quotes? */
export function escapesStrings(write: (text: string) => WrittenValue | null): boolean {
  const text = "one\\two";
  return write(text)?.text.includes(text) === false;
}

/** How strings are written that are not plain. */
export interface StringWriting {
  readonly fence: TextFence | null;
  readonly escapes: boolean;
}

export function taggedElement(
  frame: TaggedFrame,
  values: readonly WrittenValue[],
  { fence, escapes }: StringWriting,
): TaggedElement {
  const { open, namePrefix, separator, sorted } = frame;
  const forms = valueForms(frame, values, escapes).map((form) =>
    form.writing.kind === "raw" && fence ? { ...form, writing: { ...form.writing, fence } } : form,
  );
  return {
    kind: "tagged",
    open,
    close: "",
    namePrefix,
    separator,
    values: forms,
    ...(sorted ? { sorted } : {}),
  };
}
