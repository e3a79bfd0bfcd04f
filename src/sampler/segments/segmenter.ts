import { type MarkerIds, type MarkerScan, markerScan } from "./markerScan.ts";

/** Where a completion is: in what the user reads, in thinking, or inside a tool call. */
export type SegmentKind = "content" | "reasoning" | "toolCall";

/** The markers that segments begin and end with, as ids. A segment without markers never begins. */
export interface SegmentMarkers {
  readonly reasoning?: { readonly starts: readonly (readonly number[])[]; readonly end: readonly number[] } | undefined;
  readonly toolCall?: { readonly start: readonly number[]; readonly end: readonly number[] } | undefined;
}

/**
 * What ids turned out to be. Ids that may be the beginning of a marker wait for the next ones, so that a change comes with the
 * id that decides.
 */
export type SegmentChange =
  /** Ids inside of a segment. */
  | { readonly kind: "ids"; readonly segment: SegmentKind; readonly ids: readonly number[] }
  /** A marker: `segment` is the one that begins, or the one that ends. */
  | {
      readonly kind: "start" | "end";
      readonly segment: "reasoning" | "toolCall";
      readonly markerIds: readonly number[];
    };

/** Cuts a completion into segments, by the ids of markers. */
export interface Segmenter {
  readonly segment: SegmentKind;
  /** Ids which wait, because they may be the beginning of a marker; they count as part of `segment` until it is known. */
  readonly waiting: readonly number[];
  push(id: number): readonly SegmentChange[];
  /** What still waits is no marker: nothing follows. */
  end(): readonly SegmentChange[];
}

/** @param opened whether the prompt left reasoning open */
export function segmenter(markers: SegmentMarkers, { opened }: { readonly opened: boolean }): Segmenter {
  const scans = scansOf(markers);
  let segment: SegmentKind = opened && markers.reasoning !== undefined ? "reasoning" : "content";
  let waiting: number[] = [];

  function enter(next: SegmentKind): void {
    segment = next;
    scans[next].reset();
  }

  function flush(keep: number): SegmentChange[] {
    const ids = waiting.splice(0, waiting.length - keep);
    return ids.length === 0 ? [] : [{ kind: "ids", segment, ids }];
  }

  return {
    get segment() {
      return segment;
    },
    get waiting() {
      return waiting;
    },
    push(id) {
      waiting.push(id);
      const scan = scans[segment];
      const ended = scan.push(id);
      if (ended === undefined) return flush(scan.pending);
      const changes = flush(ended.ids.length);
      const markerIds = waiting;
      waiting = [];
      const [kind, next] = transitions[ended.name as Transition];
      changes.push({
        kind,
        segment: kind === "start" ? next : (segment as "reasoning" | "toolCall"),
        markerIds,
      } as SegmentChange);
      enter(next);
      return changes;
    },
    end: () => flush(0),
  };
}

const transitions = {
  reasoningStart: ["start", "reasoning"],
  reasoningEnd: ["end", "content"],
  callStart: ["start", "toolCall"],
  callEnd: ["end", "content"],
} as const;

type Transition = keyof typeof transitions;

function scansOf({ reasoning, toolCall }: SegmentMarkers): Readonly<Record<SegmentKind, MarkerScan>> {
  const marker = (name: Transition, ids: readonly number[] | undefined): MarkerIds[] =>
    ids === undefined || ids.length === 0 ? [] : [{ name, ids }];
  const opening = reasoning?.starts.flatMap((ids) => marker("reasoningStart", ids)) ?? [];
  return {
    content: markerScan([...opening, ...marker("callStart", toolCall?.start)]),
    reasoning: markerScan(marker("reasoningEnd", reasoning?.end)),
    toolCall: markerScan(marker("callEnd", toolCall?.end)),
  };
}
