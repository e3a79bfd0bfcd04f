import { pythonStrip } from "../messages/index.ts";
import {
  type CallBody,
  type CallElement,
  type CallForm,
  type CallGrammar,
  type CallReading,
  type CallText,
  isBlank,
  type Marker,
  readTaggedCall,
  type TaggedArgumentsOptions,
} from "../parse/index.ts";
import { argumentForms } from "./argumentForms.ts";

/*
 * Calls as GLM's format has them, and those built on it; the tags are tokens in some vocabularies and text in others:
 *
 *   {name}{name end}{glue}<arg_key>{key}</arg_key>{glue}<arg_value>{text}</arg_value>{glue}…
 */

export interface ArgTags {
  readonly keyOpen: Marker;
  readonly keyClose: Marker;
  readonly valueOpen: Marker;
  readonly valueClose: Marker;
}

export interface ArgTagLayout {
  readonly tags: ArgTags;
  /** Stands between the name and its arguments, also if there are none; undefined where no marker does. */
  readonly nameEnd?: Marker | undefined;
  /** White space after the name, after each key and after each value. */
  readonly glue: string;
}

/** The tags' texts; `suffix` stands in each of them, before its `>`. */
export function argTagTexts(suffix = "") {
  return {
    keyOpen: `<arg_key${suffix}>`,
    keyClose: `</arg_key${suffix}>`,
    valueOpen: `<arg_value${suffix}>`,
    valueClose: `</arg_value${suffix}>`,
  } as const;
}

/** A call without its outer markers; the arguments' texts are written as they are. */
export function writeArgTags(
  { tags, nameEnd, glue }: ArgTagLayout,
  name: string,
  entries: Iterable<readonly [key: string, text: string]>,
): string {
  const { keyOpen, keyClose, valueOpen, valueClose } = tags;
  let text = `${name}${nameEnd?.text ?? ""}${glue}`;
  for (const [key, value] of entries) {
    text += `${keyOpen.text}${key}${keyClose.text}${glue}${valueOpen.text}${value}${valueClose.text}${glue}`;
  }
  return text;
}

/**
 * How a response's calls are read. A closing marker inside a key or value that is still open belongs to its text, but where
 * the next call follows it: then the model has left the end of the value out.
 */
export function argTagCalls(
  layout: ArgTagLayout,
  grammar: Pick<CallGrammar, "open" | "close" | "section" | "separator"> & Partial<Pick<CallForm, "sectionSpace">>,
  options: TaggedArgumentsOptions = {},
): CallGrammar {
  const markers = [...tagNames.map((tag) => layout.tags[tag]), layout.nameEnd];
  const body = argTagBody(layout, options);
  const swallowsCall = ({ text }: CallText): boolean => {
    for (let at = text.indexOf(grammar.close.text); at >= 0; at = text.indexOf(grammar.close.text, at + 1)) {
      let next = at + grammar.close.text.length;
      while (next < text.length && isBlank(text[next])) next++;
      if (text.startsWith(grammar.open.text, next)) return true;
    }
    return false;
  };
  const { sectionSpace, ...outer } = grammar;
  return {
    ...outer,
    atoms: markers.flatMap((marker) => marker?.id ?? []),
    body: (call, tools) => (swallowsCall(call) ? malformed(body(call, tools)) : body(call, tools)),
    endsInside: (call) => readParts(layout, call).end === "open",
    form: { inside: callElements(layout), between: layout.glue, sectionSpace },
  };
}

function callElements({ tags, nameEnd, glue }: ArgTagLayout): readonly CallElement[] {
  const { keyOpen, keyClose, valueOpen, valueClose } = tags;
  const behindName = (nameEnd?.text ?? "") + glue;
  return [
    { kind: "name" },
    ...(behindName === "" ? [] : [{ kind: "text", text: behindName } as const]),
    {
      kind: "tagged",
      open: "",
      close: "",
      namePrefix: keyOpen.text,
      separator: "",
      values: argumentForms(keyClose.text + glue + valueOpen.text, valueClose.text + glue),
    },
  ];
}

/**
 * Reads the text between a call's markers. Of several ends of a value the first one counts with which all the rest can be
 * read: the next argument or the call's end must follow, so that a value may hold the tags; a key may not hold its own end.
 * Calls that cannot be read so are read from tag to tag; what is no argument there is passed over, and an argument without
 * its end is `malformed_structure`.
 */
export function argTagBody(layout: ArgTagLayout, options: TaggedArgumentsOptions = {}): CallBody {
  return (call, tools) => {
    const { name, entries, end } = readParts(layout, call);
    const reading = readTaggedCall(name, entries, tools, options);
    const isUnknown = reading.status === "missing_name" || reading.status === "unknown_tool";
    return end === "whole" || isUnknown ? reading : malformed(reading);
  };
}

const malformed = (reading: CallReading): CallReading => ({ ...reading, status: "malformed_structure" });

interface Parts {
  readonly name: string;
  readonly entries: readonly (readonly [key: string, text: string])[];
  /** `open`: ends inside a key or a value; `broken`: an argument lacks a part. */
  readonly end: "whole" | "open" | "broken";
}

type Tag = keyof ArgTags;

const tagNames: readonly Tag[] = ["keyOpen", "keyClose", "valueOpen", "valueClose"];

/** A tag in a call's text: half-open UTF-16 range. */
interface Place {
  readonly tag: Tag;
  readonly start: number;
  readonly end: number;
}

/** A call is asked for its parts when its end is looked for, and once more when it has ended there. */
const known = new WeakMap<
  CallText,
  { readonly layout: ArgTagLayout; readonly length: number; readonly parts: Parts }
>();

function readParts(layout: ArgTagLayout, call: CallText): Parts {
  const last = known.get(call);
  if (last?.layout === layout && last.length === call.text.length) return last.parts;
  const parts = readTags(layout, call);
  known.set(call, { layout, length: call.text.length, parts });
  return parts;
}

function readTags(layout: ArgTagLayout, call: CallText): Parts {
  const nameEnd = layout.nameEnd && places(call, layout.nameEnd)[0];
  const tags = tagPlaces(layout.tags, call).filter(({ start }) => !nameEnd || start >= nameEnd.end);
  const name = pythonStrip(call.text.slice(0, (nameEnd ?? tags[0])?.start));
  const first = tags.findIndex(({ tag }) => tag === "keyOpen");
  if (first < 0) return { name, entries: [], end: tags.length === 0 ? "whole" : "broken" };
  return readWell(name, call.text, tags) ?? readLeniently(name, call.text, tags, first);
}

function tagPlaces(tags: ArgTags, call: CallText): Place[] {
  return tagNames
    .flatMap((tag) => places(call, tags[tag]).map((place) => ({ tag, ...place })))
    .sort((a, b) => a.start - b.start);
}

function places(
  { text, atoms }: CallText,
  marker: Marker,
): readonly { readonly start: number; readonly end: number }[] {
  if (marker.id !== undefined) return atoms.filter(({ id }) => id === marker.id);
  const found = [];
  for (let start = text.indexOf(marker.text); start >= 0; start = text.indexOf(marker.text, start + 1)) {
    found.push({ start, end: start + marker.text.length });
  }
  return found;
}

/**
 * Null where the tags cannot be put together to whole arguments. One pass from the end finds with which later tag each one
 * goes on: a key with its end, that with its value, and the value with its end.
 */
function readWell(name: string, text: string, tags: readonly Place[]): Parts | null {
  const goesOn: (number | undefined)[] = [];
  let keyClose = tags.length;
  let valueClose: number | undefined;
  for (let at = tags.length - 1; at >= 0; at--) {
    const next = tags[at + 1]?.tag;
    const nextGoesOn = goesOn[at + 1] !== undefined;
    switch (tags[at].tag) {
      case "valueClose":
        if (next === undefined || (next === "keyOpen" && nextGoesOn)) valueClose = at;
        break;
      case "valueOpen":
        goesOn[at] = valueClose;
        break;
      case "keyClose":
        if (nextGoesOn && next === "valueOpen") goesOn[at] = at + 1;
        if (nextGoesOn && next === "keyClose") goesOn[at] = goesOn[at + 1];
        keyClose = at;
        break;
      case "keyOpen":
        if (goesOn[keyClose] !== undefined) goesOn[at] = keyClose;
    }
  }
  if (tags[0].tag !== "keyOpen") return null;
  const entries: [string, string][] = [];
  for (let key = 0; key < tags.length; ) {
    const keyEnd = goesOn[key];
    if (keyEnd === undefined) return null;
    const value = goesOn[keyEnd] as number;
    const valueEnd = goesOn[value] as number;
    entries.push([between(text, tags, key, keyEnd), between(text, tags, value, valueEnd)]);
    key = valueEnd + 1;
  }
  return { name, entries, end: "whole" };
}

/** Each opening tag with the next closing one. */
function readLeniently(name: string, text: string, tags: readonly Place[], first: number): Parts {
  const find = (tag: Tag, from: number): number => {
    let at = from;
    while (at < tags.length && tags[at].tag !== tag) at++;
    return at;
  };
  const entries: [string, string][] = [];
  for (let key = first; key < tags.length; ) {
    const afterKey = find("keyClose", key);
    const value = find("valueOpen", afterKey);
    const afterValue = find("valueClose", value);
    if (afterKey === tags.length) return { name, entries, end: "open" };
    if (value === tags.length) return { name, entries, end: "broken" };
    if (afterValue === tags.length) return { name, entries, end: "open" };
    entries.push([between(text, tags, key, afterKey), between(text, tags, value, afterValue)]);
    key = find("keyOpen", afterValue);
  }
  return { name, entries, end: "whole" };
}

const between = (text: string, tags: readonly Place[], open: number, close: number): string =>
  text.slice(tags[open].end, tags[close].start);
