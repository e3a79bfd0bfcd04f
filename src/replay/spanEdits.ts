import type { Tokenizer } from "../tokenizer/types.ts";
import { byteEnds } from "../tokens/encode.ts";
import type { Span, TextSpan } from "../tokens/index.ts";

/** Ids in place of a range of the rendered bytes. */
export interface SpanEdit {
  /** Half-open. */
  readonly bytes: readonly [start: number, end: number];
  readonly ids: Int32Array;
  /** The assistant's message that sampled them. */
  readonly message: number;
}

/** A span, and the bytes of what is encoded of it; null where they are no text of their own. */
interface PlacedSpan {
  readonly span: Span;
  readonly start: number;
  readonly end: number;
  readonly text: Buffer | null;
}

/** Spans by the bytes that they are rendered to. */
export interface PlacedSpans {
  readonly length: number;
  /** The spans with these ranges exchanged; null if one of them ends inside a token or a character. Edits are in order and disjoint. */
  edited(edits: readonly SpanEdit[]): Span[] | null;
}

export function placeSpans(spans: readonly Span[], tokenizer: Tokenizer): PlacedSpans {
  const placed: PlacedSpan[] = [];
  let at = 0;
  for (let i = 0; i < spans.length; ) {
    const span = spans[i];
    if (span.kind === "text") {
      let last = i;
      while (spans[last]?.kind === "text") last++;
      placed.push(...placeRun(spans.slice(i, last) as TextSpan[], at, tokenizer));
      i = last;
    } else {
      const count = span.kind === "image" ? span.image.tokens : 1;
      placed.push({ span, start: at, end: at + count * tokenizer.byteLength(span.id), text: null });
      i++;
    }
    at = placed.at(-1)!.end;
  }
  return { length: at, edited: (edits) => editSpans(placed, edits) };
}

/** Neighbouring texts are normalised as one, as they are encoded. */
function placeRun(run: readonly TextSpan[], from: number, tokenizer: Tokenizer): PlacedSpan[] {
  const whole = Buffer.from(tokenizer.normalize(run.map(({ text }) => text).join("")), "utf8");
  const ends = byteEnds(run, tokenizer);
  return run.map((span, i) => {
    const [start, end] = [i === 0 ? 0 : ends[i - 1], ends[i]];
    const isCut = !isBoundary(whole, start) || !isBoundary(whole, end);
    return { span, start: from + start, end: from + end, text: isCut ? null : whole.subarray(start, end) };
  });
}

/** Between two characters. */
function isBoundary(text: Buffer, at: number): boolean {
  return at >= text.length || (text[at] & 0xc0) !== 0x80;
}

function editSpans(placed: readonly PlacedSpan[], edits: readonly SpanEdit[]): Span[] | null {
  const out: Span[] = [];
  let next = 0;
  /** All before this byte is written. */
  let done = 0;
  for (const one of placed) {
    if (one.start === one.end) {
      if (one.start >= done) out.push(one.span);
      continue;
    }
    while (next < edits.length && edits[next].bytes[0] < one.end) {
      const { bytes, ids, message } = edits[next++];
      const before = piece(one, Math.max(one.start, done), bytes[0]);
      if (before === null) return null;
      out.push(...before);
      for (const id of ids) out.push({ kind: "token", id, message, sampled: true, content: true });
      done = bytes[1];
    }
    const rest = piece(one, Math.max(one.start, done), one.end);
    if (rest === null) return null;
    out.push(...rest);
    done = Math.max(done, one.end);
  }
  return next === edits.length ? out : null;
}

/** A range of a span; none where it is empty, null where it cannot be cut so. */
function piece({ span, start, end, text }: PlacedSpan, from: number, to: number): readonly Span[] | null {
  if (from >= to) return [];
  if (from === start && to === end) return [span];
  if (text === null || span.kind !== "text") return null;
  if (!isBoundary(text, from - start) || !isBoundary(text, to - start)) return null;
  return [{ ...span, text: text.toString("utf8", from - start, to - start) }];
}
