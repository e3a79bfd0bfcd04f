import type { MultimodalData, PlacedImage } from "../images/types.ts";
import type { EncodeOptions, TextRange, Tokenizer } from "../tokenizer/types.ts";
import type { ImageSpan, Origin, Span, TextSpan, TokenSpan } from "./span.ts";

/** Ids of spans with the origin of each: the columns of rendered tokens. */
export interface EncodedSpans {
  readonly tokenIds: Int32Array;
  readonly messageIndices: Int32Array;
  readonly sampledMask: Uint8Array;
  readonly contentMask: Uint8Array;
  /** Set when there are images. */
  readonly multimodal?: MultimodalData;
}

/** Neighbouring text spans and their ids, or one token as often as it stands there. */
type Piece =
  | { readonly kind: "run"; readonly run: readonly TextSpan[]; readonly ids: Int32Array }
  | { readonly kind: "token"; readonly token: TokenSpan | ImageSpan; readonly count: number };

/**
 * Ids of spans. Neighbouring text spans are one BPE pass, as they would be in the template's output, because a merge may
 * cross from one into the next; markers are matched in trusted text only.
 */
export function encodeSpanIds(spans: readonly Span[], tokenizer: Tokenizer): Int32Array {
  return joinIds(encodePieces(spans, tokenizer));
}

/** The same ids, and for each the origin of the span that its first byte belongs to. */
export function encodeSpans(spans: readonly Span[], tokenizer: Tokenizer): EncodedSpans {
  const pieces = encodePieces(spans, tokenizer);
  const tokenIds = joinIds(pieces);
  const messageIndices = new Int32Array(tokenIds.length);
  const sampledMask = new Uint8Array(tokenIds.length);
  const contentMask = new Uint8Array(tokenIds.length);
  let at = 0;
  const mark = ({ message, sampled, content }: Origin, count: number) => {
    messageIndices.fill(message, at, at + count);
    if (sampled) sampledMask.fill(1, at, at + count);
    if (content) contentMask.fill(1, at, at + count);
    at += count;
  };
  const images: PlacedImage[] = [];
  for (const piece of pieces) {
    if (piece.kind === "token") {
      if (piece.token.kind === "image") images.push(placed(piece.token, at));
      mark(piece.token, piece.count);
    } else {
      const { run, ids } = piece;
      const from = at;
      const ends = run.length > 1 ? byteEnds(run, tokenizer) : [];
      let taken = 0;
      let byte = 0;
      for (let span = 0; span < run.length - 1; span++) {
        const from = taken;
        while (taken < ids.length && byte < ends[span]) byte += tokenizer.byteLength(ids[taken++]);
        mark(run[span], taken - from);
      }
      mark(run[run.length - 1], ids.length - taken);
      if (run.some((span) => span.hugs)) {
        const columns = { contentMask: contentMask.subarray(from), messageIndices: messageIndices.subarray(from) };
        markHugged(run, ends, ids, columns, tokenizer);
      }
    }
  }
  const columns = { tokenIds, messageIndices, sampledMask, contentMask };
  return images.length > 0 ? { ...columns, multimodal: { images } } : columns;
}

function placed({ image, message }: ImageSpan, offset: number): PlacedImage {
  const { hash, tokens: length, grid, values } = image;
  return { hash, message, offset, length, ...(grid && { grid }), ...(values !== undefined && { values }) };
}

/** A token that begins in scaffold and has a byte of a body which hugs its tags is content, or that body's altogether. */
function markHugged(
  run: readonly TextSpan[],
  ends: readonly number[],
  ids: Int32Array,
  { contentMask, messageIndices }: Pick<EncodedSpans, "contentMask" | "messageIndices">,
  tokenizer: Tokenizer,
): void {
  let span = 0;
  let start = 0;
  for (const [i, id] of ids.entries()) {
    const end = start + tokenizer.byteLength(id);
    while (span < run.length - 1 && ends[span] <= start) span++;
    for (let at = span; at < run.length && (at === 0 || ends[at - 1] < end); at++) {
      if (!run[at].hugs || run[at].text === "" || contentMask[i] === 1) continue;
      contentMask[i] = 1;
      if (run[at].hugs === "token") messageIndices[i] = run[at].message;
    }
    start = end;
  }
}

function encodePieces(spans: readonly Span[], tokenizer: Tokenizer): Piece[] {
  const pieces: Piece[] = [];
  let run: TextSpan[] = [];
  const endRun = () => {
    if (run.length > 0) pieces.push({ kind: "run", run, ids: encodeRun(run, tokenizer) });
    run = [];
  };
  for (const span of spans) {
    if (span.kind === "text") run.push(span);
    else {
      endRun();
      pieces.push({ kind: "token", token: span, count: span.kind === "image" ? span.image.tokens : 1 });
    }
  }
  endRun();
  return pieces;
}

function joinIds(pieces: readonly Piece[]): Int32Array {
  let length = 0;
  for (const piece of pieces) length += piece.kind === "token" ? piece.count : piece.ids.length;
  const all = new Int32Array(length);
  let at = 0;
  for (const piece of pieces) {
    if (piece.kind === "token") {
      all.fill(piece.token.id, at, at + piece.count);
      at += piece.count;
    } else {
      all.set(piece.ids, at);
      at += piece.ids.length;
    }
  }
  return all;
}

function encodeRun(run: readonly TextSpan[], tokenizer: Tokenizer): Int32Array {
  if (run.length === 1) return tokenizer.encode(run[0].text, { addedTokens: run[0].trusted ? "match" : "plain" });
  return tokenizer.encode(joinText(run), { addedTokens: reading(run) });
}

function joinText(run: readonly { readonly text: string }[]): string {
  let text = "";
  for (const span of run) text += span.text;
  return text;
}

function reading(run: readonly TextSpan[]): NonNullable<EncodeOptions["addedTokens"]> {
  const trusted: TextRange[] = [];
  let start = 0;
  for (const span of run) {
    const end = start + span.text.length;
    const last = trusted.at(-1);
    if (span.trusted && last?.[1] === start) trusted[trusted.length - 1] = [last[0], end];
    else if (span.trusted) trusted.push([start, end]);
    start = end;
  }
  if (trusted.length === 0) return "plain";
  return trusted.length === 1 && trusted[0][0] === 0 && trusted[0][1] === start ? "match" : trusted;
}

/** Where each span of a run ends, in bytes of the text as the tokenizer normalises it. */
export function byteEnds(run: readonly { readonly text: string }[], tokenizer: Tokenizer): number[] {
  const text = run.length === 1 ? run[0].text : joinText(run);
  const normalized = tokenizer.normalize(text);
  const ends: number[] = [];
  let at = 0;
  let bytes = 0;
  for (const span of run) {
    const end = at + span.text.length;
    if (normalized === text) {
      bytes += utf8Length(span.text);
      // A surrogate pair that two spans share is one character of four bytes, not two lone halves of three.
      if (at > 0 && isLowSurrogate(text, at) && isHighSurrogate(text, at - 1)) bytes -= 2;
    } else bytes = utf8Length(tokenizer.normalize(text.slice(0, composedEnd(text, end, tokenizer))));
    ends.push(bytes);
    at = end;
  }
  if (normalized !== text) ends[ends.length - 1] = utf8Length(normalized);
  return ends;
}

/** The first place at or after `index` where the text can be cut without changing what normalisation gives. */
function composedEnd(text: string, index: number, tokenizer: Tokenizer): number {
  let end = index;
  while (end < text.length && !cutsCleanly(text, end, tokenizer)) end++;
  return end;
}

function cutsCleanly(text: string, index: number, tokenizer: Tokenizer): boolean {
  // Composition looks back at most to the last starter; no sequence in use is longer than this window.
  const left = text.slice(Math.max(0, index - 32), index);
  const right = text.slice(index, index + 32);
  return tokenizer.normalize(left) + tokenizer.normalize(right) === tokenizer.normalize(left + right);
}

const utf8Length = (text: string): number => Buffer.byteLength(text, "utf8");
const isHighSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xd800;
const isLowSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
