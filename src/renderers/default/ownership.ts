import type { TemplateTrace } from "../../template/index.ts";
import { cutAt, type OwnedSegment, type Segment, segmentsOf, type TraceOptions } from "./segments.ts";

/**
 * The message of every segment. What a template writes while it stands at a message is that message's. Where it takes a message
 * by itself (a system message ahead of the loop), the turn around it is that message's, too. Begin-of-text is nobody's.
 */
export function ownedSegments(trace: TemplateTrace, options: TraceOptions, promptStart: number): OwnedSegment[] {
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
function ownTurn(block: readonly Segment[], options: TraceOptions): OwnedSegment[] {
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
function leadStart(block: readonly Segment[], index: number, { shape, tokens }: TraceOptions): number {
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
  messages: TraceOptions["messages"],
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
