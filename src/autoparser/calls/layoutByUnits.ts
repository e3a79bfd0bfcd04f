import type { Turn } from "../probe/turn.ts";
import type { ProbeCall } from "../probe/types.ts";
import { type CallTurns, cutEnd, type FoundCalls, type Frame, framed } from "./callFrame.ts";
import { type FindUnit, numbered } from "./callUnits.ts";

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
