import { TitoError } from "../../errors.ts";
import type { GreedyScope, PayloadSyntax, SegmentPolicy } from "../policy/types.ts";
import type { SegmentMarkers } from "./segmenter.ts";

/** A policy's markers in the ids of a model. */
export interface HeldSegments {
  readonly markers: SegmentMarkers;
  readonly payloadMarkers: { readonly start: readonly number[]; readonly end: readonly number[] } | undefined;
  readonly payload: PayloadSyntax | undefined;
  readonly greedy: GreedyScope;
  /** The completion begins inside of reasoning. */
  readonly opened: boolean;
}

/** @throws TitoError `marker_missing` for a marker that the model's vocabulary cannot write */
export function holdSegments(policy: SegmentPolicy, tokenize: (text: string) => readonly number[]): HeldSegments {
  const { toolCallMarkers: call, reasoning, payload, greedy = "off" } = policy;
  const idsOf = (name: string, text: string): readonly number[] => {
    const ids = tokenize(text);
    if (ids.length > 0) return ids;
    throw new TitoError(
      "token_missing",
      `segments.${name}: the model's vocabulary has no ids for ${JSON.stringify(text)}.`,
      {
        details: { marker: name, text },
      },
    );
  };
  const between = (name: string, start: string, end: string) => ({
    start: idsOf(`${name}.start`, start),
    end: idsOf(`${name}.end`, end),
  });
  const starts = [reasoning?.start, ...(reasoning?.alsoStarts ?? [])].filter((text) => typeof text === "string");
  return {
    markers: {
      toolCall: call ? between("toolCallMarkers", call.start, call.end) : undefined,
      reasoning: reasoning
        ? {
            starts: starts.map((text) => idsOf("reasoning.start", text)),
            end: idsOf("reasoning.end", reasoning.end),
          }
        : undefined,
    },
    payloadMarkers:
      call?.payloadStart === undefined
        ? undefined
        : between("toolCallMarkers.payload", call.payloadStart, call.payloadEnd!),
    payload: payload ?? undefined,
    greedy,
    opened: reasoning?.opened ?? false,
  };
}
