import type { ConversationMessage } from "../../messages/index.ts";
import type { TemplateTrace, TracePiece } from "../../template/index.ts";
import type { AddedToken } from "../../tokenizer/types.ts";
import type { SpanWriter } from "../../tokens/index.ts";
import { firstToken, lastToken, sharedOpening, type TurnShape } from "./turnShape.ts";

export interface TraceSpansOptions {
  readonly messages: readonly Pick<ConversationMessage, "role" | "text">[];
  readonly shape: TurnShape;
  /** UTF-16 units at the end of the text that are the generation prompt. */
  readonly generationPrompt: number;
  readonly tokens: readonly AddedToken[];
  /** The model's special tokens as variables; they are the template's own text. */
  readonly specialTokens: ReadonlyMap<string, string>;
}

/** A stretch of the text that belongs to one message. */
interface Segment {
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

interface OwnedSegment extends Segment {
  readonly message: number;
}

/** Writes the spans of a template's output: each belongs to a message, and is body, scaffold, or sampled. */
export function writeTrace(out: SpanWriter, trace: TemplateTrace, options: TraceSpansOptions): void {
  const { messages, generationPrompt } = options;
  const promptStart = trace.text.length - generationPrompt;
  const owned = ownedSegments(trace, options, promptStart);
  const sampled = sampledRanges(trace.text.slice(0, promptStart), owned, options);
  for (const segment of cutAt(owned, sampled.flat())) {
    const isPrompt = segment.start >= promptStart;
    const isAssistant = messages[segment.message]?.role === "assistant";
    out.at(isPrompt ? -1 : segment.message);
    const end = segment.start + segment.text.length;
    const range = isPrompt ? undefined : sampled.find((one) => segment.start >= one[0] && end <= one[1]);
    // A tool's spec or a variable is no model's word, wherever the template puts it.
    if (range && !isOutside(segment)) out.at(range[2]).sampled(segment.text);
    else if (segment.kind === "scaffold" || isRole(segment)) out.scaffold(segment.text);
    else if (segment.kind !== "value" && isAssistant) out.scaffold(segment.text);
    else if (segment.kind === "content") out.body(segment.text);
    else out.foreign(segment.text);
  }
}

/**
 * The message of every segment. What a template writes while it stands at a message is that message's. Where it takes a message
 * by itself (a system message ahead of the loop), the turn around it is that message's, too. Begin-of-text is nobody's.
 */
function ownedSegments(trace: TemplateTrace, options: TraceSpansOptions, promptStart: number): OwnedSegment[] {
  const { specialTokens, shape, messages } = options;
  const bos = specialTokens.get("bos_token") ?? "";
  const bodyStart = trace.text.startsWith(bos) ? bos.length : 0;
  const turnEnds = shape.turnEnd === null ? [] : placesBehind(trace.text, shape.turnEnd);
  const segments = segmentsOf(trace, specialTokens);
  const outside = cutAt(segments, [bodyStart, promptStart]).flatMap((segment) =>
    segment.writing < 0 && segment.kind === "scaffold" ? cutAt([segment], turnEnds) : [segment],
  );
  const ends = new Set(turnEnds);
  const owned: OwnedSegment[] = [];
  for (let start = 0; start < outside.length; ) {
    const { writing } = outside[start]!;
    let end = start + 1;
    const goesOn = ({ start, writing: next }: Segment) =>
      next === writing && (writing >= 0 || (start >= bodyStart && !ends.has(start)));
    while (end < outside.length && goesOn(outside[end]!)) end++;
    const block = outside.slice(start, end);
    owned.push(...(writing < 0 ? ownBlock(block, bodyStart) : ownTurn(block, options)));
    start = end;
  }
  return withEmptySystem(owned, messages, bodyStart, promptStart);
}

/** The words around what comes from a message are that message's; before the first such piece they are the first one's. */
function ownBlock(block: readonly Segment[], bodyStart: number): OwnedSegment[] {
  let owner = block.find((segment) => segment.from >= 0)?.from ?? -1;
  return block.map((segment) => {
    if (segment.start < bodyStart) return { ...segment, message: -1 };
    if (segment.from >= 0) owner = segment.from;
    return { ...segment, message: owner };
  });
}

/**
 * A turn is the message's that the template stands at. Only an assistant's may hold what others say, results behind its calls:
 * that is theirs with what leads to it, and with the words behind it up to the assistant's own content, because no model
 * samples it.
 */
function ownTurn(block: readonly Segment[], options: TraceSpansOptions): OwnedSegment[] {
  const { messages } = options;
  const { writing } = block[0]!;
  const isAssistant = (message: number) => messages[message]?.role === "assistant";
  if (!isAssistant(writing)) {
    // A system message that is written into the first user's turn stays its own.
    const isQuoted = ({ kind, from }: Segment) => kind === "content" && from >= 0 && !isAssistant(from);
    return block.map((segment) => ({ ...segment, message: isQuoted(segment) ? segment.from : writing }));
  }
  const isForeign = ({ from }: Segment) => from >= 0 && !isAssistant(from);
  const leads = block.flatMap((segment, index) =>
    isForeign(segment) ? [{ start: leadStart(block, index, options), end: segment.start, message: segment.from }] : [],
  );
  const starts = leads.map((lead) => lead.start);
  let owner = writing;
  return cutAt(block, starts).map((segment) => {
    const lead = leads.find(({ start, end }) => segment.start >= start && segment.start < end);
    if (isForeign(segment)) owner = segment.from;
    else if (lead) owner = lead.message;
    else if (segment.from >= 0 && segment.kind === "content") owner = writing;
    return { ...segment, message: owner };
  });
}

/**
 * Where the words that lead to a piece begin: behind the turn's end, else at the first control token, of what one statement
 * writes behind the assistant's own words. The name of the tool may be the assistant's.
 */
function leadStart(block: readonly Segment[], index: number, { shape, tokens }: TraceSpansOptions): number {
  const { at, start } = block[index]!;
  let first = index;
  while (first > 0 && block[first - 1]!.at === at && !isOwnWords(block[first - 1]!)) first--;
  const begin = block[first]!.start;
  const text = block
    .slice(first, index)
    .map((segment) => segment.text)
    .join("");
  const turnEnd = shape.turnEnd === null ? -1 : text.lastIndexOf(shape.turnEnd);
  if (turnEnd >= 0) return begin + turnEnd + shape.turnEnd!.length;
  const control = tokens.filter(({ special }) => special).map(({ content }) => text.indexOf(content));
  const token = Math.min(...control.filter((place) => place >= 0));
  return Number.isFinite(token) ? begin + token : start;
}

const isOwnWords = ({ kind, field }: Segment): boolean => kind === "content" || (kind === "value" && field !== "name");

/** A system message without text leaves no piece of its own: then the first turn that is nobody's is its. */
function withEmptySystem(
  segments: readonly OwnedSegment[],
  messages: TraceSpansOptions["messages"],
  bodyStart: number,
  promptStart: number,
): OwnedSegment[] {
  const first = messages[0];
  const isMissing = first?.text === "" && first.role !== "user" && segments.every((segment) => segment.message !== 0);
  if (!isMissing) return [...segments];
  const end = segments.findIndex((segment) => segment.message > 0 || segment.start >= promptStart);
  return segments.map((segment, index) =>
    segment.message < 0 && segment.start >= bodyStart && (end < 0 || index < end)
      ? { ...segment, message: 0 }
      : segment,
  );
}

function segmentsOf({ pieces }: TemplateTrace, specialTokens: ReadonlyMap<string, string>): Segment[] {
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

/** Where a token ends in a text, each time, with the white space behind it. */
function placesBehind(text: string, token: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + token.length)) {
    let end = at + token.length;
    while (end < text.length && /\s/.test(text[end]!)) end++;
    places.push(end);
  }
  return places;
}

type SampledRange = readonly [start: number, end: number, message: number];

/** What the model samples of every assistant's turn: all behind the turn's header, up to and with the token that ends it. */
function sampledRanges(text: string, segments: readonly OwnedSegment[], options: TraceSpansOptions): SampledRange[] {
  const { messages, shape, tokens } = options;
  const ranges: SampledRange[] = [];
  for (let at = 0; at < segments.length; ) {
    const { message, start } = segments[at]!;
    let next = at + 1;
    while (next < segments.length && segments[next]!.message === message && segments[next]!.start < text.length) next++;
    if (messages[message]?.role === "assistant" && start < text.length) {
      const turn = segments.slice(at, next);
      const end = next < segments.length ? segments[next]!.start : text.length;
      const own = text.slice(start, Math.min(end, text.length));
      const from = start + headerLength(own, turn, options);
      const closing = closeEnd(own, turn, options);
      const following = closing === null ? firstToken(text.slice(end), tokens) : null;
      const closes = following !== null && shape.nextTurn.includes(following);
      const to = closing !== null ? start + closing : closes ? end + following.length : start + openEnd(own, turn);
      if (to > from) ranges.push([from, to, message]);
    }
    at = next;
  }
  return ranges;
}

/** Behind the generation prompt, or what opens a turn in any case, where the words before what was said hold it. */
function headerLength(turn: string, segments: readonly Segment[], { shape, tokens }: TraceSpansOptions): number {
  const { generationPrompt, afterResult, header } = shape;
  const said = segments.find(isSaid);
  const own = said === undefined ? turn : turn.slice(0, said.start - segments[0]!.start);
  for (const opening of [generationPrompt, afterResult, header]) {
    if (opening === "") continue;
    const at = turn.startsWith(opening) ? 0 : own.lastIndexOf(opening);
    if (at >= 0) return at + opening.length;
  }
  // The end of the results before it may stand ahead of a turn that opens in another way.
  const marker = firstToken(generationPrompt, tokens);
  const start = marker === null ? 0 : Math.max(0, own.lastIndexOf(marker));
  return start + sharedOpening(own.slice(start), generationPrompt).length;
}

/** Where a turn without a last token ends: before the white space that the template puts behind what was said. */
function openEnd(turn: string, segments: readonly Segment[]): number {
  return Math.max(saidEnd(segments), turn.trimEnd().length);
}

/** Where a turn ends: behind its token that stands behind what was said; null: no token ends it. */
function closeEnd(turn: string, segments: readonly Segment[], { shape, tokens }: TraceSpansOptions): number | null {
  const said = saidEnd(segments);
  const rest = turn.slice(said);
  const at = shape.turnEnd === null ? -1 : rest.lastIndexOf(shape.turnEnd);
  const end = at >= 0 ? at + shape.turnEnd!.length : lastToken(rest, tokens)?.end;
  return end === undefined ? null : said + end;
}

function saidEnd(segments: readonly Segment[]): number {
  const last = segments.findLast(isSaid);
  return last === undefined ? 0 : last.start + last.text.length - segments[0]!.start;
}

/** A role is the program's word and may be a part of a control token (`<|user|>`), as long as it is a name and no marker. */
const isRole = ({ kind, text }: Segment): boolean => kind === "role" && /^[\p{L}\p{N}_-]+$/u.test(text);
const isOutside = ({ kind, from }: Segment): boolean => kind === "value" && from < 0;
const isSaid = (segment: Segment): boolean =>
  segment.kind === "content" || (segment.kind === "value" && !isOutside(segment));

function cutAt<S extends Segment>(segments: readonly S[], places: readonly number[]): S[] {
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
