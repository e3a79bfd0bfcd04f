import type { ChatTemplate, TemplateContext, TemplateTrace } from "../../template/index.ts";
import type { AddedToken } from "../../tokenizer/types.ts";

/** How a template writes an assistant's turn, found by rendering short conversations. */
export interface TurnShape {
  /** What `add_generation_prompt` adds. */
  readonly generationPrompt: string;
  /** What opens a turn in any case: the generation prompt without the thinking that it may open. */
  readonly header: string;
  /** The generation prompt behind a tool's result, where it is another one. */
  readonly afterResult: string;
  /** The markers around thinking; null where the template writes none. */
  readonly thinking: { readonly open: string; readonly close: string } | null;
  /** The token that ends a turn; null: none stands there. */
  readonly turnEnd: string | null;
  /** Where no token ends a turn: the special tokens that begin the next one, which the model samples then. */
  readonly nextTurn: readonly string[];
}

export interface ProbeMessage {
  readonly role: string;
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

export type ContextOf = (
  messages: readonly ProbeMessage[],
  options: { readonly addGenerationPrompt: boolean; readonly tools: readonly object[] | undefined },
) => TemplateContext;

const question: ProbeMessage = { role: "user", content: "Question" };
const answer: ProbeMessage = { role: "assistant", content: "Answer" };
const thought: ProbeMessage = { role: "assistant", content: "Answer", reasoning_content: "Thought" };
const call: ProbeMessage = {
  role: "assistant",
  content: "Answer",
  tool_calls: [{ id: "call00001", type: "function", function: { name: "probe", arguments: {} } }],
};
const result: ProbeMessage = { role: "tool", content: "Result", tool_call_id: "call00001" };

const probeTool = {
  type: "function",
  function: { name: "probe", description: "Probe", parameters: { type: "object", properties: {} } },
};

/** Probes that a template refuses say nothing; then the generation prompt is all there is to go by. */
export function turnShape(template: ChatTemplate, contextOf: ContextOf, tokens: readonly AddedToken[]): TurnShape {
  const withTools =
    (tools: readonly object[] | undefined) =>
    (messages: readonly ProbeMessage[], prompt = false) =>
      traced(template, contextOf(messages, { addGenerationPrompt: prompt, tools }));
  // A template that is for tools alone may fail without any.
  const trace = withTools(undefined)([question]) === null ? withTools([probeTool]) : withTools(undefined);
  const generationPrompt = promptBehind(trace, [question]);
  const turns = trace([question, answer, question, answer]);
  const thinking = trace([question, thought]);
  const openings = [1, 3].flatMap((message) => {
    const opening = turns && openingOf(turns, message, "content");
    return opening === null ? [] : [opening];
  });
  const shared = openings.reduce((opening, other) => sharedOpening(opening, other), generationPrompt);
  const closing = turns === null ? "" : closingOf(turns, 1);
  const turnEnd = lastToken(closing, tokens) ?? lastOf(closing, tokens);
  const acting = turnEnd === null ? trace([question, call, result]) : null;
  const next = [turns && nextToken(turns, 1, tokens), acting && nextToken(acting, 1, tokens)];
  const marked = thinking === null ? null : thinkingMarkers(thinking, 1);
  return {
    generationPrompt,
    thinking: marked,
    afterResult: promptBehind(trace, [question, call, result]),
    header: withoutMarker(shared, marked?.open ?? null),
    turnEnd: turnEnd?.content ?? null,
    nextTurn: turnEnd === null ? [...new Set(next.filter((token) => token !== null))] : [],
  };
}

/** The generation prompt behind a conversation: what is added for it, or what stands there in any case. */
function promptBehind(
  trace: (messages: readonly ProbeMessage[], prompt?: boolean) => TemplateTrace | null,
  messages: readonly ProbeMessage[],
): string {
  const plain = trace(messages);
  const prompting = trace(messages, true);
  if (plain === null || prompting === null) return "";
  const added = addedText(plain.text, prompting.text);
  if (added !== "") return added;
  const tail = textOf(plain.pieces.slice(plain.pieces.findLastIndex(isOfMessage) + 1));
  const answered = trace([...messages, answer]);
  const opening = answered && openingOf(answered, messages.length, "content");
  return opening && sharedOpening(tail, opening) !== "" ? tail : "";
}

function isOfMessage({ writing, source }: Pieces[number]): boolean {
  return writing >= 0 || (source !== null && source.message >= 0);
}

function traced(template: ChatTemplate, context: TemplateContext): TemplateTrace | null {
  try {
    return template.trace(context);
  } catch {
    return null;
  }
}

/**
 * What a render has at its end that another one has not. Where the other one is not its beginning, it may end with a token
 * instead (`<|endoftext|>`).
 */
export function addedText(plain: string, prompting: string): string {
  if (prompting.startsWith(plain)) return prompting.slice(plain.length);
  const shared = sharedOpening(plain, prompting).length;
  return isMarker(plain.slice(shared)) ? prompting.slice(shared) : "";
}

const isMarker = (text: string): boolean => /^\s*(?:<[^<>\s]+>|\[[^[\]\s]+\])\s*$/.test(text);

type Pieces = TemplateTrace["pieces"];

const textOf = (pieces: Pieces): string => pieces.map((piece) => piece.text).join("");

function isFrom({ source }: Pieces[number], message: number, field: string): boolean {
  return source !== null && source.message === message && source.path()[2] === field;
}

/** The template's own text before a field of a message. */
function openingOf({ pieces }: TemplateTrace, message: number, field: string): string | null {
  const first = pieces.findIndex((piece) => isFrom(piece, message, field));
  if (first < 0) return null;
  let start = first;
  while (start > 0 && pieces[start - 1]!.writing === pieces[first]!.writing && !isSaid(pieces[start - 1]!)) start--;
  return textOf(pieces.slice(start, first));
}

function isSaid({ source }: Pieces[number]): boolean {
  return source !== null && source.message >= 0 && source.path()[2] !== "role";
}

function thinkingMarkers(trace: TemplateTrace, message: number): TurnShape["thinking"] {
  const open = lastMarker(openingOf(trace, message, "reasoning_content") ?? "");
  const close = firstMarker(closingOf(trace, message, "reasoning_content"));
  return open === null || close === null ? null : { open, close };
}

/** The template's own text behind a field of a message, as long as it writes that message. */
function closingOf({ pieces }: TemplateTrace, message: number, field = "content"): string {
  const last = pieces.findLastIndex((piece) => isFrom(piece, message, field));
  if (last < 0) return "";
  let end = last + 1;
  while (end < pieces.length && pieces[end]!.writing === pieces[last]!.writing) end++;
  return textOf(pieces.slice(last + 1, end));
}

/** The special token that the text behind a message begins with. */
function nextToken({ pieces }: TemplateTrace, message: number, tokens: readonly AddedToken[]): string | null {
  const last = pieces.findLastIndex(({ writing, source }) => writing === message || source?.message === message);
  return last < 0 ? null : firstToken(textOf(pieces.slice(last + 1)), tokens);
}

/** The special token at the beginning of a text. */
export function firstToken(text: string, tokens: readonly AddedToken[]): string | null {
  const found = tokens.filter(({ content, special }) => special && text.startsWith(content));
  return found.reduce<string | null>(
    (best, { content }) => (content.length > (best?.length ?? 0) ? content : best),
    null,
  );
}

/** The special token that stands last in a text, and where it ends. */
export function lastToken(text: string, tokens: readonly AddedToken[]): { content: string; end: number } | null {
  return lastOf(
    text,
    tokens.filter(({ special }) => special),
  );
}

function lastOf(text: string, tokens: readonly AddedToken[]) {
  let last: { content: string; end: number } | null = null;
  for (const { content } of tokens) {
    const at = text.lastIndexOf(content);
    const end = at + content.length;
    const isLater = last === null || end > last.end || (end === last.end && content.length > last.content.length);
    if (at >= 0 && isLater) last = { content, end };
  }
  return last;
}

/** The common beginning of two texts, without a marker (`<think>`) of which only a part is common. */
export function sharedOpening(a: string, b: string): string {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end++;
  const shared = a.slice(0, end);
  const open = a.length === b.length && end === a.length ? -1 : openMarker(shared);
  return open < 0 ? shared : shared.slice(0, open);
}

/** Where a marker begins that is still open at the end; -1: none is. */
function openMarker(text: string): number {
  for (const [open, close] of ["<>", "[]"]) {
    const start = text.lastIndexOf(open!);
    if (start > text.lastIndexOf(close!) && !/\s/.test(text.slice(start))) return start;
  }
  return -1;
}

/** The marker that a text ends with, but for white space. */
function lastMarker(text: string): string | null {
  return /(?:<[^<>\s]+>|\[[^[\]\s]+\])\s*$/.exec(text)?.[0].trim() ?? null;
}

/** The marker that a text begins with, but for white space. */
function firstMarker(text: string): string | null {
  return /^\s*(?:<[^<>\s]+>|\[[^[\]\s]+\])/.exec(text)?.[0].trim() ?? null;
}

function withoutMarker(text: string, marker: string | null): string {
  const trimmed = text.trimEnd();
  if (marker === null || !trimmed.endsWith(marker)) return text;
  const rest = trimmed.slice(0, -marker.length);
  // Where nothing is left, the marker opens the turn and no thinking.
  return rest.trim() === "" ? text : rest;
}
