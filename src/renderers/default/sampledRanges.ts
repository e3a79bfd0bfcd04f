import { isSaid, type OwnedSegment, type Segment, type TraceOptions } from "./segments.ts";
import { firstToken, lastToken, sharedOpening, type TurnShape } from "./turnShape.ts";

/** A part of an assistant's message that the model samples: half-open, in UTF-16 units of the text. */
export interface SampledRange {
  readonly start: number;
  readonly end: number;
  readonly message: number;
}

/** What the model samples of every assistant's turn: all behind the turn's header, up to and with the token that ends it. */
export function sampledRanges(text: string, segments: readonly OwnedSegment[], options: TraceOptions): SampledRange[] {
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
      if (to > from) ranges.push({ start: from, end: to, message });
    }
    at = next;
  }
  return ranges;
}

/** Behind the generation prompt, or what opens a turn in any case, where the words before what was said hold it. */
function headerLength(turn: string, segments: readonly Segment[], { shape, tokens }: TraceOptions): number {
  const { generationPrompt, afterResult, header } = shape;
  const said = segments.find(isSaid);
  const own = said === undefined ? turn : turn.slice(0, said.start - segments[0]!.start);
  for (const opening of [generationPrompt, afterResult, header]) {
    if (opening === "") continue;
    const at = turn.startsWith(opening) ? 0 : own.lastIndexOf(opening);
    if (at >= 0) return withClosedThinking(own, at + opening.length, opening, shape);
  }
  // White space around it may be another than the prompt's, where a template does not take care of it.
  const words = generationPrompt.trim();
  const place = words === "" ? -1 : own.lastIndexOf(words);
  if (place >= 0) return own.length - own.slice(place + words.length).trimStart().length;
  // The end of the results before it may stand ahead of a turn that opens in another way.
  const marker = firstToken(generationPrompt, tokens);
  const start = marker === null ? 0 : Math.max(0, own.lastIndexOf(marker));
  return start + sharedOpening(own.slice(start), generationPrompt).length;
}

/** Thinking that is closed where nothing has opened it is the template's: it stands for thoughts that were left out. */
function withClosedThinking(own: string, header: number, opening: string, { thinking }: TurnShape): number {
  if (thinking === null || opening.trimEnd().endsWith(thinking.open)) return header;
  const rest = own.slice(header);
  const blank = rest.length - rest.trimStart().length;
  return rest.startsWith(thinking.close, blank) ? header + blank + thinking.close.length : header;
}

/** Where a turn without a last token ends: before the white space that the template puts behind what was said. */
function openEnd(turn: string, segments: readonly Segment[]): number {
  return Math.max(saidEnd(segments), turn.trimEnd().length);
}

/** Where a turn ends: behind its token that stands behind what was said; null: no token ends it. */
function closeEnd(turn: string, segments: readonly Segment[], { shape, tokens }: TraceOptions): number | null {
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
