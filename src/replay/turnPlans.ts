import { equalJson, tryParseJson } from "../messages/index.ts";
import type { KnownTool, ParsedResponse, ParsedToolCall } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { RenderedTokens } from "../tokens/index.ts";
import type { KnownCall } from "./knownCalls.ts";
import { byteStarts, type CallLocator, type CallPlace, tokenAt } from "./locateCalls.ts";
import type { SpanEdit } from "./spanEdits.ts";
import type { StoredTurn } from "./types.ts";

/** A plain render with its bytes. */
export interface PlainRender {
  readonly rendered: RenderedTokens;
  readonly bytes: Uint8Array;
  /** The byte at which each id begins, and the end of the last one. */
  readonly starts: Int32Array;
}

export function plainRender(rendered: RenderedTokens, tokenizer: Tokenizer): PlainRender {
  const { tokenIds } = rendered;
  return { rendered, bytes: tokenizer.decodeBytes(tokenIds), starts: byteStarts(tokenIds, tokenizer) };
}

/** An exchange, and where in its ids the calls stand. */
export interface PlannedEdit extends SpanEdit {
  readonly calls: readonly {
    readonly known: KnownCall;
    /** Half-open range of the edit's ids. */
    readonly tokens: readonly [start: number, end: number];
  }[];
}

/** One way of replaying what is known of a message. */
export interface TurnPlan {
  readonly isWhole: boolean;
  readonly edits: readonly PlannedEdit[];
  /** The byte of the plain render at which the sampled turn begins. */
  readonly from: number;
  /** What the turn says, which the exchange must not change. */
  readonly response: ParsedResponse;
  /** How many bytes of the turn stand from its stop on; null if it has none. */
  readonly closing: number | null;
}

/** A rendered turn as its own parser reads it. */
interface ReadTurn {
  readonly message: number;
  readonly from: number;
  /** The byte behind the turn's last id. */
  readonly to: number;
  readonly response: ParsedResponse;
  /** Places of the calls, in bytes of the render. */
  readonly places: readonly (CallPlace | null)[];
  /** The text of what the prompt wrote of the turn. */
  readonly opening: Uint8Array;
  /** The byte at which the turn's stop begins; null if it has none. */
  readonly stop: { readonly id: number; readonly byte: number } | null;
  /** The byte behind the last sampled id. */
  readonly sampledTo: number;
}

export interface PlanContext {
  readonly locator: CallLocator;
  readonly tokenizer: Tokenizer;
  /** The id that opens a turn. */
  readonly turnStart: number;
  /** A turn is several messages, and what opens the first one is the prompt's. */
  readonly framed: boolean;
  /** Calls may stand in one block, which the first one opens and the last one closes. */
  readonly inBlocks: boolean;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
}

/** The ways of replaying a message's calls, the best first. */
export function turnPlans(
  context: PlanContext,
  plain: PlainRender,
  message: number,
  names: readonly string[],
  known: readonly KnownCall[],
): TurnPlan[] {
  const turn = readTurn(context, plain, message, names, known);
  if (turn === null) return [];
  const whole = known.length === names.length ? wholeTurn(context, plain, turn, known) : null;
  const edits = callEdits(context, plain, turn, known);
  const { from, response } = turn;
  const byCalls = edits.length > 0 ? [{ isWhole: false, edits, from, response, closing: closingOf(turn) }] : [];
  return whole ? [whole, ...byCalls] : byCalls;
}

function readTurn(
  context: PlanContext,
  plain: PlainRender,
  message: number,
  names: readonly string[],
  known: readonly KnownCall[],
): ReadTurn | null {
  const { messageIndices, sampledMask, tokenIds } = plain.rendered;
  const first = messageIndices.indexOf(message);
  if (first < 0) return null;
  let end = first;
  while (end < messageIndices.length && messageIndices[end] === message) end++;
  let sampled = first;
  while (sampled < end && sampledMask[sampled] === 0) sampled++;
  if (sampled === end) return null;
  let sampledEnd = end;
  while (sampledMask[sampledEnd - 1] === 0) sampledEnd--;
  const turnStart = tokenIds.lastIndexOf(context.turnStart, sampled);
  const opens = turnStart < 0 ? plain.starts[first] : plain.starts[turnStart];
  for (const from of beginnings(context, plain, known, opens, plain.starts[sampled])) {
    const { response, places } = readFrom(context, plain.rendered.tokenIds, plain.starts, from, end);
    if (response.toolCalls.length !== names.length) continue;
    if (!response.toolCalls.every(({ name }, index) => name === names[index])) continue;
    const { stop } = response;
    return {
      message,
      from,
      to: plain.starts[end],
      response,
      places: places.map((place) => place && shifted(place, from)),
      opening: plain.bytes.subarray(opens, from),
      stop: stop.kind === "stop" ? { id: stop.id, byte: stopByte(plain.starts, from, stop.index) } : null,
      sampledTo: plain.starts[sampledEnd],
    };
  }
  return null;
}

/**
 * Where the sampled turn may begin: behind what the recorded prompts wrote of it, or where the format says that the model goes on;
 * or else behind what is left of the recorded prompts' opening, as where thinking is dropped that a prompt had opened.
 */
function beginnings(
  { tokenizer }: PlanContext,
  { bytes }: PlainRender,
  known: readonly KnownCall[],
  opens: number,
  sampled: number,
): ReadonlySet<number> {
  const whole: number[] = [];
  const partly: number[] = [];
  for (const { stored } of known) {
    const ids = stored.turn?.completion?.opening;
    if (!ids) continue;
    const opening = tokenizer.decodeBytes(ids);
    let same = 0;
    while (same < opening.length && bytes[opens + same] === opening[same]) same++;
    (same === opening.length ? whole : partly).push(opens + same);
  }
  return new Set([...whole, sampled, ...partly]);
}

/** Reads ids from a byte on, also where that is inside a token. */
export function readFrom(
  { locator, tokenizer, tools }: PlanContext,
  tokenIds: Int32Array,
  starts: Int32Array,
  from: number,
  end: number,
) {
  const at = tokenAt(starts, from);
  const cut = from - starts[at];
  if (cut === 0) return locator.locate(tokenIds.subarray(at, end), { prompt: tokenIds.subarray(0, at), tools });
  const token = tokenizer.decodeBytes([tokenIds[at]]);
  const prompt = [...tokenIds.subarray(0, at), ...locator.spell(token.subarray(0, cut))];
  const turn = [...locator.spell(token.subarray(cut)), ...tokenIds.subarray(at + 1, end)];
  return locator.locate(turn, { prompt, tools });
}

/** The byte of the render at which the `index`th id of a reading begins. */
export function stopByte(starts: Int32Array, from: number, index: number): number {
  const at = tokenAt(starts, from);
  const cut = from - starts[at];
  // Of a token that was cut, every byte is an id.
  const spelled = cut === 0 ? 0 : starts[at + 1] - from - 1;
  return starts[at + index - spelled];
}

const closingOf = ({ stop, to }: ReadTurn): number | null => (stop === null ? null : to - stop.byte);

function shifted(place: CallPlace, by: number): CallPlace {
  return { ...place, bytes: [place.bytes[0] + by, place.bytes[1] + by] };
}

/** The completion itself, if it says what the rendered turn says. */
function wholeTurn(
  { locator, tools }: PlanContext,
  plain: PlainRender,
  turn: ReadTurn,
  known: readonly KnownCall[],
): TurnPlan | null {
  const [{ stored }] = known;
  const completion = stored.turn?.completion;
  if (!completion || !isOneTurn(known)) return null;
  const prompt = plain.rendered.tokenIds.subarray(0, tokenAt(plain.starts, turn.from));
  const cut = turn.from - plain.starts[prompt.length];
  const partial = cut === 0 ? [] : locator.spell(plain.bytes.subarray(turn.from - cut, turn.from));
  const read = locator.locate(completion.ids, { prompt: [...prompt, ...partial], tools });
  if (!saysTheSame(read.response, turn.response)) return null;
  if (!known.every(({ stored }, index) => isCall(read.response.toolCalls[index], stored))) return null;
  const { stop } = read.response;
  const endsAlike = stop.kind === "stop" && turn.stop?.id === stop.id;
  const ids = stop.kind === "stop" ? completion.ids.subarray(0, stop.index + (endsAlike ? 1 : 0)) : completion.ids;
  // Another end than the format's stays out: the turn closes as it is rendered.
  const close = turn.stop ? turn.stop.byte : turn.sampledTo;
  const end = endsAlike ? plain.starts[tokenAt(plain.starts, close) + 1] : close;
  if (end <= turn.from || ids.length === 0) return null;
  const calls = known.map((one) => ({
    known: one,
    tokens: [one.stored.turn!.start, one.stored.turn!.start + one.stored.ids.length] as const,
  }));
  const edit = { bytes: [turn.from, end] as const, ids, message: turn.message, calls };
  return { isWhole: true, edits: [edit], from: turn.from, response: turn.response, closing: closingOf(turn) };
}

function isOneTurn(known: readonly KnownCall[]): boolean {
  const key = known[0].stored.turn?.key;
  return known.every(
    ({ stored: { turn } }, index) => turn?.key === key && turn?.index === index && turn.calls === known.length,
  );
}

function saysTheSame(a: ParsedResponse, b: ParsedResponse): boolean {
  return (
    a.content === b.content &&
    a.reasoning?.text === b.reasoning?.text &&
    a.reasoning?.complete === b.reasoning?.complete &&
    a.toolCalls.length === b.toolCalls.length
  );
}

/** Is this the stored call? By its text, because arguments read without their schema may have other types. */
function isCall({ name, raw, argumentsText }: ParsedToolCall, stored: KnownCall["stored"]): boolean {
  if (name !== stored.name) return false;
  if (stored.raw !== null) return raw === stored.raw;
  const [ours, theirs] = [tryParseJson(argumentsText ?? ""), tryParseJson(stored.argumentsText)];
  return ours.ok && theirs.ok && equalJson(ours.value, theirs.value);
}

/** After the exchange the turn says what it said, and the calls are the stored ones. */
export function isProven(
  { response, edits, closing }: TurnPlan,
  after: ParsedResponse,
  closes: number | null,
): boolean {
  if (!saysTheSame(after, response) || closes !== closing) return false;
  const exchanged = new Map(edits.flatMap(({ calls }) => calls.map(({ known }) => [known.call, known.stored])));
  return after.toolCalls.every((call, index) => {
    if (isBroken(call) !== isBroken(response.toolCalls[index])) return false;
    const stored = exchanged.get(index);
    if (stored !== undefined) return isCall(call, stored);
    return call.name === response.toolCalls[index].name && call.raw === response.toolCalls[index].raw;
  });
}

function isBroken({ status }: ParsedToolCall): boolean {
  return status !== "ok" && status !== "unknown_tool" && status !== "ambiguous_arguments";
}

/** A call's own bytes in the render, and the ids for them. */
interface CallExchange {
  readonly known: KnownCall;
  readonly bytes: readonly [start: number, end: number];
  readonly ids: Int32Array;
  readonly head: number;
  readonly tail: number;
}

function callEdits(
  context: PlanContext,
  plain: PlainRender,
  turn: ReadTurn,
  known: readonly KnownCall[],
): PlannedEdit[] {
  const exchanges = known.flatMap((one) => {
    const place = turn.places[one.call];
    const exchange = place && exchangeOf(context, plain, turn, one, place);
    return exchange ? [exchange] : [];
  });
  const edits: PlannedEdit[] = [];
  for (const group of groups(context.tokenizer, plain, exchanges)) {
    const edit = editOf(plain, turn, group, context.tokenizer);
    const single = edit
      ? [edit]
      : group.length > 1
        ? group.map((one) => editOf(plain, turn, [one], context.tokenizer))
        : [];
    for (const one of single) if (one && one.bytes[0] >= (edits.at(-1)?.bytes[1] ?? turn.from)) edits.push(one);
  }
  return edits;
}

/**
 * In formats of several messages the first one is opened by the prompt and every other one by the model. A call that was first
 * and is so no more, or the other way round, is exchanged without its opening.
 */
function exchangeOf(
  { framed, inBlocks, tokenizer }: PlanContext,
  plain: PlainRender,
  turn: ReadTurn,
  known: KnownCall,
  { bytes: [start, end] }: CallPlace,
): CallExchange | null {
  const { ids, head, tail, turn: from } = known.stored;
  const exchange = { known, bytes: [start, end] as const, ids, head, tail };
  if (inBlocks && from !== null && !isAtSameEnds(from, known.call, turn.places.length)) return null;
  if (!framed || from === null) return exchange;
  const wasFirst = from.start === 0;
  const isFirst = start === turn.from;
  if (wasFirst === isFirst) return exchange;
  if (wasFirst) {
    const isOpened = startsWith(plain.bytes.subarray(start, end), turn.opening);
    return isOpened ? { ...exchange, bytes: [start + turn.opening.length, end] } : null;
  }
  const behind = skipText(ids, head, turn.opening, tokenizer);
  return behind && { ...exchange, ids: behind };
}

function isAtSameEnds({ index, calls }: StoredTurn, call: number, count: number): boolean {
  return (index === 0) === (call === 0) && (index === calls - 1) === (call === count - 1);
}

/** The ids behind those that spell this text; null where it does not end with a token. */
function skipText(ids: Int32Array, head: number, text: Uint8Array, tokenizer: Tokenizer): Int32Array | null {
  if (head > 0 || !startsWith(tokenizer.decodeBytes(ids), text)) return null;
  let length = 0;
  let skipped = 0;
  while (length < text.length) length += tokenizer.byteLength(ids[skipped++]);
  return length === text.length ? ids.subarray(skipped) : null;
}

/** Neighbouring calls that share a token are exchanged together, if what is between them is the same. */
function groups(tokenizer: Tokenizer, plain: PlainRender, exchanges: readonly CallExchange[]): CallExchange[][] {
  const out: CallExchange[][] = [];
  for (const one of exchanges) {
    const last = out.at(-1)?.at(-1);
    const isNext = last?.known.call === one.known.call - 1 && last.ids.at(-1) === one.ids[0];
    if (isNext && isSameBetween(tokenizer, plain, last, one)) out.at(-1)!.push(one);
    else out.push([one]);
  }
  return out;
}

/** The token that ends one call and begins the next holds all that is between them. */
function isSameBetween(tokenizer: Tokenizer, plain: PlainRender, a: CallExchange, b: CallExchange): boolean {
  const shared = tokenizer.decodeBytes([b.ids[0]]);
  if (a.tail === 0 || b.head === 0 || a.tail + b.head < shared.length) return false;
  const between = shared.subarray(shared.length - a.tail, b.head);
  return isSameBytes(plain.bytes.subarray(a.bytes[1], b.bytes[0]), between);
}

function editOf(
  { bytes }: PlainRender,
  turn: ReadTurn,
  group: readonly CallExchange[],
  tokenizer: Tokenizer,
): PlannedEdit | null {
  const [first, last] = [group[0], group.at(-1)!];
  const [start, end] = [first.bytes[0] - first.head, last.bytes[1] + last.tail];
  if (start < turn.from || end > turn.to) return null;
  const ids: number[] = [];
  const calls = group.map(({ known, ids: own }, index) => {
    const at = index === 0 ? 0 : ids.length - 1;
    ids.push(...own.subarray(index === 0 ? 0 : 1));
    return { known, tokens: [at, ids.length] as const };
  });
  const text = tokenizer.decodeBytes(ids);
  const isSameBefore = isSameBytes(bytes.subarray(start, first.bytes[0]), text.subarray(0, first.head));
  const isSameAfter = isSameBytes(bytes.subarray(last.bytes[1], end), text.subarray(text.length - last.tail));
  if (!isSameBefore || !isSameAfter) return null;
  return { bytes: [start, end], ids: Int32Array.from(ids), message: turn.message, calls };
}

const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const startsWith = (text: Uint8Array, beginning: Uint8Array): boolean =>
  isSameBytes(text.subarray(0, beginning.length), beginning);
