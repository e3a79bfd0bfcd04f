import type { JsonInput } from "../../messages/index.ts";
import type { CallElement, CallsLayout } from "../../parse/layout/layout.ts";
import type { Turn } from "../probe/turn.ts";
import type { ProbeCall } from "../probe/types.ts";
import { segments, wholePrefix, wholeSuffix } from "../text/diff.ts";
import { markerWord } from "../text/markerWord.ts";

/** The turns from which the layout of calls is read. None has reasoning. */
export interface CallTurns {
  readonly calls: readonly [ProbeCall, ProbeCall];
  readonly one: Turn;
  /** Null where the template writes one call only. */
  readonly two: Turn | null;
  /** Content and a call; null where the template drops one of them. */
  readonly withContent: Turn | null;
  /** A turn with one call that has one argument of this value. */
  readonly withValue: (value: JsonInput) => Turn | null;
  /** What is written ahead of calls where there is no content: empty reasoning, empty content. */
  readonly lead: (turn: Turn) => number;
  /** Texts that end a turn. */
  readonly ends: readonly string[];
  /** What closes content, where it is wrapped. */
  readonly contentClose: string;
  /** What ends a response without calls, before the text that stops it. */
  readonly end: string;
}

export interface FoundCalls {
  readonly calls: CallsLayout;
  /** What ends a turn with calls; null: nothing is known to. */
  readonly stop: string | null;
}

/** Texts between the units of calls. */
export interface Frame {
  /** Ahead of the first call, behind content. */
  readonly before: string;
  readonly between: string | null;
  readonly after: string;
  readonly afterContent: string | null;
}

/**
 * Divides the texts around calls: what two calls share before them opens each, what they share behind them closes each; the rest
 * stands around all of them, or between.
 */
export function framed(
  { before, between, after, afterContent: behindContent }: Frame,
  unit: readonly CallElement[],
  { end, contentClose }: CallTurns,
): CallsLayout {
  const afterContent = behindContent?.startsWith(contentClose)
    ? behindContent.slice(contentClose.length)
    : behindContent;
  const common = afterContent === null ? before.trimStart() : wholeSuffix(before, afterContent).trimStart();
  const leadAlone = before.slice(0, before.length - common.length);
  const lead = afterContent === null ? leadAlone : afterContent.slice(0, afterContent.length - common.length);
  const bare = unit[0]?.kind === "object" && common === "";
  const tail = after.endsWith(end) ? after.slice(0, after.length - end.length) : after;
  const shape = { lead, ...(leadAlone === "" ? {} : { leadAlone }), ...(bare ? { bare } : {}) };
  if (between === null) {
    const call = [...text(common), ...unit, ...text(tail)];
    return { ...shape, section: null, separator: "", call, parallel: false };
  }
  const parts = withWholeMarkers(divided(common, between, tail));
  // Calls that are only set apart: what stands between two of them opens each.
  const isSetApart = common === "" && !bare && parts.separator.trim() !== "";
  const open = isSetApart ? parts.separator : parts.open;
  const separator = isSetApart ? "" : parts.separator;
  const { sectionOpen, sectionClose, close } = parts;
  const section = sectionOpen === "" && sectionClose === "" ? null : { open: sectionOpen, close: sectionClose };
  return { ...shape, section, separator, call: [...text(open), ...unit, ...text(close)], parallel: true };
}

/** Texts around calls by whose they are. */
interface Division {
  readonly sectionOpen: string;
  readonly open: string;
  readonly close: string;
  readonly separator: string;
  readonly sectionClose: string;
}

function divided(before: string, between: string, after: string): Division {
  const open = wholeSuffix(before, between).trimStart();
  const inner = between.slice(0, between.length - open.length);
  const shared = wholePrefix(inner, after);
  const separator = inner.slice(shared.length);
  // White space sets calls apart that nothing else does.
  const close = shared.trim() === "" ? "" : open === "" && separator === "" ? shared.trimEnd() : shared;
  const space = shared.slice(close.length);
  return {
    sectionOpen: before.slice(0, before.length - open.length),
    open,
    close,
    separator: space + separator,
    sectionClose: space + after.slice(shared.length),
  };
}

/** What ends one marker does not begin the next: `<|close|>call` `<|sep|>` before `<|open|>call`. */
function withWholeMarkers(parts: Division): Division {
  const [first, ...rest] = segments(parts.open);
  const { text: marker = "" } = first ?? {};
  const isShared = first?.kind === "marker" && rest.length > 0 && parts.sectionClose.startsWith(marker);
  if (!isShared || parts.sectionOpen === "" || parts.separator !== "") return parts;
  return withWholeMarkers({
    ...parts,
    sectionOpen: parts.sectionOpen + marker,
    open: parts.open.slice(marker.length),
    close: parts.close + marker,
    sectionClose: parts.sectionClose.slice(marker.length),
  });
}

function text(value: string): CallElement[] {
  return value === "" ? [] : [{ kind: "text", text: value }];
}

/** The text behind the last call, and what ends the turn behind it: a known end, or a marker that closes nothing. */
export function cutEnd(
  after: string,
  before: string,
  ends: readonly string[],
): { readonly text: string; readonly stop: string | null } {
  const found = ends.map((stop) => ({ stop, at: after.indexOf(stop) })).filter(({ at }) => at >= 0);
  const first = found.sort((a, b) => a.at - b.at)[0];
  if (first) return { text: after.slice(0, first.at), stop: first.stop };
  const last = segments(after.trimEnd()).at(-1);
  if (last?.kind !== "marker") return { text: after, stop: null };
  const opened = new Set(
    segments(before)
      .filter(({ kind }) => kind === "marker")
      .map(({ text: marker }) => markerWord(marker)),
  );
  if (opened.has(markerWord(last.text))) return { text: after, stop: null };
  return { text: after.slice(0, after.lastIndexOf(last.text)), stop: last.text };
}
