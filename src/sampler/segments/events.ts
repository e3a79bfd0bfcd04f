import { Utf8Stream } from "../../tokens/index.ts";
import type { Completion } from "../types.ts";
import type { HeldSegments } from "./heldSegments.ts";
import { type SegmentChange, type SegmentKind, segmenter } from "./segmenter.ts";

/** What ids write, in one piece. */
export interface SegmentDelta {
  readonly ids: readonly number[];
  /** Exactly what the ids write; they may end inside of a character. */
  readonly bytes: Uint8Array;
  /** The characters that are complete with these bytes; U+FFFD for what is no character. */
  readonly text: string;
}

/**
 * What happens while a completion is sampled, in order. Markers are found by their ids, and are part of no delta; neither is the stop
 * id. Without `toolCallMarkers` there are no calls, and without `reasoning` everything is content.
 */
export type SampleEvent =
  | ({ readonly kind: "reasoning" | "content" } & SegmentDelta)
  | { readonly kind: "reasoningEnd"; readonly markerIds: readonly number[] }
  | { readonly kind: "toolCallStart"; readonly index: number; readonly markerIds: readonly number[] }
  | ({ readonly kind: "toolCallDelta"; readonly index: number } & SegmentDelta)
  | {
      readonly kind: "toolCallEnd";
      readonly index: number;
      /** All deltas' ids. */
      readonly ids: readonly number[];
      /** All deltas' bytes. */
      readonly bytes: Uint8Array;
      /** The start marker's ids, and the end marker's where it came. */
      readonly markerIds: readonly number[];
      /** False: sampling ended before the end marker. */
      readonly complete: boolean;
    }
  | { readonly kind: "done"; readonly reason: Completion["finish"]; readonly completion: Completion };

/** Makes events of a completion's ids. */
export interface EventWriter {
  push(id: number): SampleEvent[];
  /** Nothing follows: what waits is given out, and an open call ends. */
  end(): SampleEvent[];
}

/** @param segments undefined: everything is content */
export function eventWriter(
  segments: Pick<HeldSegments, "markers" | "opened"> | undefined,
  bytesOf: (id: number) => Uint8Array,
): EventWriter {
  const parts = segmenter(segments?.markers ?? {}, { opened: segments?.opened ?? false });
  let text = new Utf8Stream();
  let calls = 0;
  let call: { readonly startIds: readonly number[]; readonly ids: number[]; readonly pieces: Uint8Array[] } | undefined;

  function delta(segment: SegmentKind, ids: readonly number[], bytes: Uint8Array, added: string): SampleEvent {
    if (segment !== "toolCall") return { kind: segment, ids, bytes, text: added };
    call!.ids.push(...ids);
    call!.pieces.push(bytes);
    return { kind: "toolCallDelta", index: calls - 1, ids, bytes, text: added };
  }

  function idsEvent(segment: SegmentKind, ids: readonly number[]): SampleEvent {
    const bytes = joined(ids.map(bytesOf));
    return delta(segment, ids, bytes, text.push(bytes));
  }

  /** The text of a segment that is over, where it ends inside of a character. */
  function rest(segment: SegmentKind): SampleEvent[] {
    const left = text.end();
    text = new Utf8Stream();
    return left === "" ? [] : [delta(segment, [], new Uint8Array(0), left)];
  }

  function callEnd(endIds: readonly number[], complete: boolean): SampleEvent {
    const { startIds, ids, pieces } = call!;
    call = undefined;
    const markerIds = [...startIds, ...endIds];
    return { kind: "toolCallEnd", index: calls - 1, ids, bytes: joined(pieces), markerIds, complete };
  }

  function eventsOf(change: SegmentChange, before: SegmentKind): SampleEvent[] {
    if (change.kind === "ids") return [idsEvent(change.segment, change.ids)];
    const { markerIds } = change;
    const left = rest(before);
    if (change.kind === "start" && change.segment === "toolCall") {
      call = { startIds: markerIds, ids: [], pieces: [] };
      return [...left, { kind: "toolCallStart", index: calls++, markerIds }];
    }
    if (change.kind === "start") return left;
    return [...left, change.segment === "toolCall" ? callEnd(markerIds, true) : { kind: "reasoningEnd", markerIds }];
  }

  return {
    push(id) {
      const before = parts.segment;
      return parts.push(id).flatMap((change) => eventsOf(change, before));
    },
    end() {
      const { segment } = parts;
      const events = parts.end().flatMap((change) => eventsOf(change, segment));
      events.push(...rest(segment));
      if (call !== undefined) events.push(callEnd([], false));
      return events;
    },
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
