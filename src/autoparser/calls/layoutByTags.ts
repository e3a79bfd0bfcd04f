import type { JsonInput } from "../../messages/index.ts";
import type { CallElement, JsonType } from "../../parse/layout/layout.ts";
import { names } from "../probe/probes.ts";
import type { Turn, TurnPiece } from "../probe/turn.ts";
import type { ProbeCall } from "../probe/types.ts";
import { wholePrefix } from "../text/diff.ts";
import { type CallTurns, cutEnd, type FoundCalls, type Frame, framed } from "./callFrame.ts";
import { type CallUnit, headElement, numbered, unitOf } from "./callUnits.ts";
import {
  escapesStrings,
  fenceOf,
  gapAfter,
  gapBefore,
  gapsOf,
  joined,
  type TaggedFrame,
  taggedElement,
  taggedFrame,
  typedValues,
  type WrittenValue,
  withoutClosingNames,
  writtenValue,
} from "./taggedCalls.ts";

/** Arguments one by one. */
export function layoutByTags(turns: CallTurns): FoundCalls | null {
  const one = withoutClosingNames(turns.one);
  const found = textsAround(turns, one);
  const head = headUnit(turns.one, 0, turns.calls[0]);
  if (!found || !head) return null;
  const { frame, behind, stop } = found;
  const close = frame.between === null ? frame.after : wholePrefix(frame.between, frame.after);
  const tagged = taggedFrame(one, 0, names.keys, close);
  if (!tagged) return null;
  const other = turns.two && headUnit(turns.two, 1, turns.calls[1]);
  const opened = other && splitOpen(tagged.open, other.gap, tagged.namePrefix);
  const elements: CallElement[] = [
    ...numbered(head.unit.elements, other?.unit.elements ?? null),
    ...(opened?.lead ?? []),
    { ...argumentsOf(turns, tagged, behind), open: opened?.open ?? tagged.open },
  ];
  return { calls: framed(frameWithSuffix(frame, tagged.suffix), elements, turns), stop };
}

/** The texts around calls, what follows the last one, and what stops a turn there. */
function textsAround({ one: turn, two: turnOfTwo, withContent, lead, ends }: CallTurns, one: readonly TurnPiece[]) {
  const gaps = gapsOf(one, 0);
  if (!gaps) return null;
  const two = turnOfTwo && withoutClosingNames(turnOfTwo);
  const second = two && gapsOf(two, 1);
  const behind = second ? gapAfter(two, second.last) : gapAfter(one, gaps.last);
  const { text: after, stop } = cutEnd(behind, joined(one.slice(0, gaps.last)), ends);
  const frame: Frame = {
    before: joined(one.slice(0, gaps.first)).slice(lead(turn)),
    between: second ? gapBefore(two, second.first) : null,
    after,
    afterContent: withContent && behindContent(withoutClosingNames(withContent)),
  };
  return { frame, behind, stop };
}

function behindContent(pieces: readonly TurnPiece[]): string | null {
  const gaps = gapsOf(pieces, 0);
  const isBehind = gaps !== null && pieces.slice(0, gaps.first).some(({ slot }) => slot?.kind === "content");
  return isBehind ? gapBefore(pieces, gaps.first) : null;
}

/** How arguments are written, by one of each type. `behind`: what follows a call's last value. */
function argumentsOf(turns: CallTurns, tagged: TaggedFrame, behind: string) {
  const tail = behind.slice(behind.length === 0 ? 0 : tagged.suffix.length);
  const written = (type: JsonType, value: JsonInput): WrittenValue | null => {
    const turn = turns.withValue(value);
    return turn && writtenValue(withoutClosingNames(turn), singleTail(turn, tail, tagged.suffix), [type, value]);
  };
  const values = typedValues.flatMap(([type, value]) => written(type, value) ?? []);
  const writeString = (text: string) => written("string", text);
  return taggedElement(tagged, values, { fence: fenceOf(tagged, writeString), escapes: escapesStrings(writeString) });
}

/** What of a call stands before its arguments, and the text from there to the first argument's name. */
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
