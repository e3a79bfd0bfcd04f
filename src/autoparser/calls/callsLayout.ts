import type { JsonInput } from "../../messages/index.ts";
import type { CallElement, CallsLayout, JsonType } from "../../parse/layout/layout.ts";
import { names } from "../probe/probes.ts";
import type { Turn } from "../probe/turn.ts";
import type { ProbeCall } from "../probe/types.ts";
import { segments, wholePrefix, wholeSuffix } from "../text/diff.ts";
import { markerWord } from "../text/markerWord.ts";
import { type CallUnit, type FindUnit, headElement, numbered, unitOf } from "./callUnits.ts";
import {
  escapesStrings,
  fenceOf,
  gapAfter,
  gapBefore,
  gapsOf,
  joined,
  taggedElement,
  taggedFrame,
  typedValues,
  type WrittenValue,
  withoutClosingNames,
  writtenValue,
} from "./taggedCalls.ts";

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
interface Frame {
  /** Ahead of the first call, behind content. */
  readonly before: string;
  readonly between: string | null;
  readonly after: string;
  readonly afterContent: string | null;
}

/** The layout by a way of finding a call's unit. */
export function layoutByUnits(turns: CallTurns, find: FindUnit): FoundCalls | null {
  const { one, two, calls, withContent } = turns;
  const single = find(one, 0, calls[0], turns.lead(one));
  if (!single) return null;
  const first = two && find(two, 0, calls[0], turns.lead(two));
  const second = first && find(two, 1, calls[1], first.end);
  const contentful = withContent && unitBehindContent(withContent, find, calls[0]);
  const behind = second ? two!.text.slice(second.end) : one.text.slice(single.end);
  const ending = cutEnd(behind, one.text.slice(0, single.start), turns.ends);
  const frame: Frame = {
    before: one.text.slice(turns.lead(one), single.start),
    between: second ? two!.text.slice(first!.end, second.start) : null,
    after: ending.text,
    afterContent: contentful,
  };
  const elements = numbered(single.elements, second?.elements ?? null);
  return { calls: framed(frame, elements, turns), stop: ending.stop };
}

function unitBehindContent(turn: Turn, find: FindUnit, call: ProbeCall): string | null {
  const last = turn.pieces.findLast(({ slot }) => slot?.kind === "content");
  if (!last) return null;
  const from = last.start + last.text.length;
  const unit = find(turn, 0, call, from);
  return unit && turn.text.slice(from, unit.start);
}

/** Arguments one by one. */
export function layoutByTags(turns: CallTurns): FoundCalls | null {
  const { calls, withContent } = turns;
  const one = withoutClosingNames(turns.one);
  const two = turns.two && withoutClosingNames(turns.two);
  const gaps = gapsOf(one, 0);
  if (!gaps) return null;
  const both = two && [gapsOf(two, 0), gapsOf(two, 1)];
  const between = both?.[1] ? gapBefore(two!, both[1].first) : null;
  const raw = both?.[1] ? gapAfter(two!, both[1].last) : gapAfter(one, gaps.last);
  const { text: after, stop } = cutEnd(raw, joined(one.slice(0, gaps.last)), turns.ends);
  const before = joined(one.slice(0, gaps.first)).slice(turns.lead(turns.one));
  const content = withContent && withoutClosingNames(withContent);
  const inContent = content && gapsOf(content, 0);
  const frameOfCall: Frame = {
    before,
    between,
    after,
    afterContent:
      inContent && content.slice(0, inContent.first).some(({ slot }) => slot?.kind === "content")
        ? gapBefore(content, inContent.first)
        : null,
  };
  const close = between === null ? after : wholePrefix(between, after);
  const tagged = taggedFrame(one, 0, names.keys, close);
  if (!tagged) return null;
  const tail = raw.slice(raw.length === 0 ? 0 : tagged.suffix.length);
  const written = (type: JsonType, value: JsonInput): WrittenValue | null => {
    const turn = turns.withValue(value);
    return turn && writtenValue(withoutClosingNames(turn), singleTail(turn, tail, tagged.suffix), [type, value]);
  };
  const values = typedValues.flatMap(([type, value]) => written(type, value) ?? []);
  const writeString = (text: string) => written("string", text);
  const fence = fenceOf(tagged, writeString);
  const head = one.slice(gaps.first, gaps.last + 1);
  const keyAt = head.findIndex(({ slot }) => slot?.kind === "key");
  const placed = head
    .slice(0, keyAt)
    .flatMap(({ slot, start, text }) =>
      slot?.kind === "name" || slot?.kind === "id"
        ? [{ start, end: start + text.length, element: headElement(slot, text, calls[0]) }]
        : [],
    );
  if (placed.length === 0) return null;
  const unit = unitOf(turns.one, placed);
  const other = both?.[1] ? headUnit(turns.two!, 1, calls[1]) : null;
  const opened = other === null ? null : splitOpen(tagged.open, other.gap, tagged.namePrefix);
  const elements: CallElement[] = [
    ...numbered(unit.elements, other?.unit.elements ?? null),
    ...(opened?.lead ?? []),
    {
      ...taggedElement(tagged, values, { fence, escapes: escapesStrings(writeString) }),
      open: opened?.open ?? tagged.open,
    },
  ];
  const suffixed = frameWithSuffix(frameOfCall, tagged.suffix);
  return { calls: framed(suffixed, elements, turns), stop };
}

/** The head of the second call, and the text between it and the first argument's name. */
function headUnit(
  turn: Turn,
  index: number,
  call: ProbeCall,
): { readonly unit: CallUnit; readonly gap: string } | null {
  const pieces = withoutClosingNames(turn);
  const key = pieces.findIndex(({ slot }) => slot?.call === index && slot.kind === "key");
  if (key < 0) return null;
  const placed = pieces
    .slice(0, key)
    .flatMap(({ slot, start, text }) =>
      slot?.call === index && (slot.kind === "name" || slot.kind === "id")
        ? [{ start, end: start + text.length, element: headElement(slot, text, call) }]
        : [],
    );
  return placed.length === 0 ? null : { unit: unitOf(turn, placed), gap: gapBefore(pieces, key) };
}

/** A number of the call between its name and its arguments. */
function splitOpen(
  open: string,
  otherGap: string,
  namePrefix: string,
): { readonly lead: readonly CallElement[]; readonly open: string } | null {
  const other = otherGap.slice(0, otherGap.length - namePrefix.length);
  if (other === open) return null;
  const elements = numbered([{ kind: "text", text: open }], [{ kind: "text", text: other }]);
  const last = elements.at(-1)!;
  if (elements.length === 1 || last.kind !== "text") return null;
  return { lead: elements.slice(0, -1), open: last.text };
}

/** A value's suffix belongs to the argument and not to what follows the call's last slot. */
function frameWithSuffix(frame: Frame, suffix: string): Frame {
  const cut = (text: string) => (text.startsWith(suffix) ? text.slice(suffix.length) : text);
  return { ...frame, between: frame.between === null ? null : cut(frame.between), after: cut(frame.after) };
}

/** In a turn with one call nothing separates it from the next: what follows its last value up to the turn's end. */
function singleTail(turn: Turn, tail: string, suffix: string): string {
  const pieces = withoutClosingNames(turn);
  const last = pieces.findLastIndex(({ slot }) => slot !== null);
  const end = joined(pieces.slice(last + 1));
  let cut = end;
  if (end.startsWith(suffix)) cut = end.slice(suffix.length);
  return tail !== "" && end.endsWith(tail) ? tail : cut;
}

function framed(
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
  let open = wholeSuffix(common, between).trimStart();
  const inner = between.slice(0, between.length - open.length);
  let close = wholePrefix(inner, tail);
  let separator = inner.slice(close.length);
  let sectionClose = tail.slice(close.length);
  // White space sets calls apart that nothing else does.
  const kept = close.trim() === "" ? "" : open === "" && separator === "" ? close.trimEnd() : close;
  separator = close.slice(kept.length) + separator;
  sectionClose = close.slice(kept.length) + sectionClose;
  close = kept;
  let sectionOpen = common.slice(0, common.length - open.length);
  // What ends one marker and not begins the next: `<|close|>call` `<|sep|>` before `<|open|>call`.
  for (const { kind, text: marker } of segments(open).slice(0, -1)) {
    if (kind !== "marker" || sectionOpen === "" || !sectionClose.startsWith(marker) || separator !== "") break;
    open = open.slice(marker.length);
    sectionOpen += marker;
    close += marker;
    sectionClose = sectionClose.slice(marker.length);
  }
  // Calls that are only set apart: what stands between two of them opens each.
  if (common === "" && !bare && separator.trim() !== "") {
    open = separator;
    separator = "";
  }
  const section = sectionOpen === "" && sectionClose === "" ? null : { open: sectionOpen, close: sectionClose };
  return { ...shape, section, separator, call: [...text(open), ...unit, ...text(close)], parallel: true };
}

function text(value: string): CallElement[] {
  return value === "" ? [] : [{ kind: "text", text: value }];
}

/** The text behind the last call, and what ends the turn behind it: a known end, or a marker that closes nothing. */
function cutEnd(
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
