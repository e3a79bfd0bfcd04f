import type { ResponseLayout } from "./layout.ts";
import { findPart, MORE, matchAt, type Pattern, patternOf } from "./pieces.ts";

/** What of a text its reader has not been given yet, as plain JSON. */
export interface TextEdgesState {
  /**
   * - `start`: the text may begin with the end of the prompt's header
   * - `stop`: `held` begins with a stop, which is one only if nothing follows
   * - `over`: nothing more is read
   */
  phase: "start" | "text" | "stop" | "over";
  held: string;
}

/** What an endpoint may leave around a response: the end of the prompt's header before it, and the text of a stop behind it. */
export interface TextEdges {
  readonly state: TextEdgesState;
  readonly headers: readonly Pattern[];
  /** White space behind the header. */
  readonly trail: string;
  /** Longest first. */
  readonly stops: readonly string[];
  /** Stops that the layout's own texts hold. */
  readonly own: ReadonlySet<string>;
}

export interface EdgeReader {
  readonly read: (text: string) => void;
  /** The next text stands this much later than what was read. */
  readonly skip: (length: number) => void;
  /** What is being read; `call`: one that is certain. */
  readonly part: () => "call" | "content" | "other";
}

/** Plain words are never dropped. */
const isMarker = (text: string): boolean => /[<[\]{|｜]/.test(text);

/** White space behind a stop that is looked at. */
const maxBlank = 1024;

export function textEdges(
  layout: ResponseLayout,
  { header, stops }: { readonly header: string; readonly stops: readonly string[] },
  state?: TextEdgesState,
): TextEdges {
  const whole = patternOf(header);
  const headers = whole.pieces.flatMap(({ text }, at) =>
    isMarker(text) ? [{ ...whole, pieces: whole.pieces.slice(at) }] : [],
  );
  const marked = stops.map((stop) => stop.trim()).filter((stop) => stop !== "" && isMarker(stop));
  const phase = headers.length > 0 ? "start" : "text";
  const texts = JSON.stringify(textsOf(layout));
  return {
    state: state ? { ...state } : { phase, held: "" },
    headers,
    trail: whole.trail,
    stops: marked.sort((a, b) => b.length - a.length),
    own: new Set(marked.filter((stop) => texts.includes(JSON.stringify(stop).slice(1, -1)))),
  };
}

/** What the layout writes; an object's style is no such text. */
function textsOf({ reasoning, content, calls, end, glue }: ResponseLayout): unknown {
  return [
    reasoning,
    content,
    calls && { ...calls, call: calls.call.filter(({ kind }) => kind !== "object") },
    end,
    glue,
  ];
}

/** Gives the reader what is certain to be the response's. */
export function readEdges(edges: TextEdges, reader: EdgeReader, text: string, eof: boolean): void {
  const { state } = edges;
  state.held += text;
  for (let goes = true; goes; ) {
    if (state.phase === "start") goes = readHeader(edges, reader, eof);
    else if (state.phase === "text") goes = readText(edges, reader, eof);
    else if (state.phase === "stop") goes = readStop(edges, reader, eof);
    else goes = false;
  }
  if (state.phase === "over") state.held = "";
}

function readHeader({ state, headers, trail }: TextEdges, reader: EdgeReader, eof: boolean): boolean {
  const { held } = state;
  const ends = headers.map((one) => matchAt({ buf: held, pos: 0, atoms: null, eof }, 0, one));
  const end = Math.max(...ends);
  if (end < 0 && ends.includes(MORE)) return false;
  if (end >= 0) {
    const rest = held.slice(end, end + trail.length);
    if (!eof && rest.length < trail.length && trail.startsWith(rest)) return false;
    const length = rest === trail ? end + trail.length : end;
    reader.skip(length);
    state.held = held.slice(length);
  }
  state.phase = "text";
  return true;
}

function readText({ state, stops, own }: TextEdges, reader: EdgeReader, eof: boolean): boolean {
  const { held } = state;
  let at = held.length;
  for (const stop of stops) at = Math.min(at, findPart(held, stop, 0));
  const stop = stops.find((one) => held.startsWith(one, at));
  const given = stop === undefined && eof ? held : held.slice(0, at);
  state.held = held.slice(given.length);
  reader.read(given);
  if (stop === undefined) return false;
  state.phase = own.has(stop) || reader.part() === "call" ? "stop" : "over";
  return true;
}

/** A stop inside a call's text, or one that is part of the layout's markers, is one only at the end. */
function readStop({ state, stops, own }: TextEdges, reader: EdgeReader, eof: boolean): boolean {
  const { held } = state;
  const stopAt = (at: number): string | undefined => stops.find((one) => held.startsWith(one, at));
  const first = stopAt(0) ?? "";
  let end = first.length;
  while (end < held.length && end < maxBlank) {
    const next = /\s/.test(held[end]) ? held[end] : stopAt(end);
    if (next === undefined) break;
    end += next.length;
  }
  const mayGoOn = stops.some((one) => one.startsWith(held.slice(end)));
  if (end >= maxBlank || (eof && end >= held.length)) {
    // The layout's own text ends a part.
    if (own.has(first) && reader.part() !== "content") reader.read(held.slice(0, end));
    state.phase = "over";
  } else if (!eof && mayGoOn) return false;
  else {
    state.phase = "text";
    state.held = held.slice(first.length);
    reader.read(first);
  }
  return true;
}
