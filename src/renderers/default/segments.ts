import type { ConversationMessage } from "../../messages/index.ts";
import type { TemplateTrace, TracePiece } from "../../template/index.ts";
import type { AddedToken } from "../../tokenizer/types.ts";
import type { TurnShape } from "./turnShape.ts";

export interface TraceOptions {
  readonly messages: readonly Pick<ConversationMessage, "role" | "text">[];
  readonly shape: TurnShape;
  /** UTF-16 units at the end of the text that are the generation prompt. */
  readonly generationPrompt: number;
  readonly tokens: readonly AddedToken[];
  /** The model's special tokens as variables; they are the template's own text. */
  readonly specialTokens: ReadonlyMap<string, string>;
}

/** A stretch of the text that belongs to one message. */
export interface Segment {
  readonly start: number;
  readonly text: string;
  /** What it is: the template's own words, a message's role, its content, or anything else that came from outside. */
  readonly kind: "scaffold" | "role" | "content" | "value";
  /** The message that it comes from; -1: none. */
  readonly from: number;
  /** The last key of its path in the context; null: it is the template's own. */
  readonly field: string | number | null;
  /** The message that the template stands at; -1: none. */
  readonly writing: number;
  /** The statement that wrote it, by its place in the template. */
  readonly at: number;
}

export interface OwnedSegment extends Segment {
  readonly message: number;
}

/** The pieces of a trace, each with its place in the text. */
export function segmentsOf({ pieces }: TemplateTrace, specialTokens: ReadonlyMap<string, string>): Segment[] {
  let start = 0;
  return pieces.map((piece) => {
    const segment = {
      start,
      text: piece.text,
      kind: kindOf(piece, specialTokens),
      from: piece.source?.message ?? -1,
      field: piece.source?.key ?? null,
      writing: piece.writing,
      at: piece.at,
    };
    start += piece.text.length;
    return segment;
  });
}

function kindOf({ source }: TracePiece, specialTokens: ReadonlyMap<string, string>): Segment["kind"] {
  if (source === null || specialTokens.has(source.variable)) return "scaffold";
  const [, , field] = source.message >= 0 ? source.path() : [];
  return field === "role" || field === "content" ? field : "value";
}

/** It came from outside, and from no message: a tool's spec, a variable. */
export const isOutside = ({ kind, from }: Segment): boolean => kind === "value" && from < 0;
/** Something that a message says, and not the words around it. */
export const isSaid = (segment: Segment): boolean =>
  segment.kind === "content" || (segment.kind === "value" && !isOutside(segment));

/** The same segments, cut where one spans any of these places. */
export function cutAt<S extends Segment>(segments: readonly S[], places: readonly number[]): S[] {
  if (places.length === 0) return [...segments];
  const sorted = [...places].sort((a, b) => a - b);
  let next = 0;
  return segments.flatMap((segment) => {
    const { start, text } = segment;
    const parts: S[] = [];
    let from = 0;
    while (next < sorted.length && sorted[next]! <= start) next++;
    for (; next < sorted.length && sorted[next]! < start + text.length; next++) {
      const to = sorted[next]! - start;
      if (to > from) parts.push({ ...segment, start: start + from, text: text.slice(from, to) });
      from = to;
    }
    parts.push({ ...segment, start: start + from, text: text.slice(from) });
    return parts;
  });
}
