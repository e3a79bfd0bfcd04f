import type { WireFormat } from "../format/index.ts";
import { renderedTokens } from "../format/index.ts";
import type { Conversation, Message } from "../messages/index.ts";
import type { KnownTool } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { RenderedTokens, Span } from "../tokens/index.ts";
import { type KnownCall, knownCalls } from "./knownCalls.ts";
import { byteStarts, type CallLocator, tokenAt } from "./locateCalls.ts";
import { placeSpans } from "./spanEdits.ts";
import { isProven, type PlanContext, plainRender, readFrom, stopByte, type TurnPlan, turnPlans } from "./turnPlans.ts";
import type { NotReplayedCall, RendererIdentity, ReplayedCall, ReplayOptions, ReplayReport } from "./types.ts";

export interface ReplayContext {
  readonly tokenizer: Tokenizer;
  readonly format: WireFormat;
  readonly locator: CallLocator;
  readonly identity: RendererIdentity;
}

export interface ReplayRequest {
  readonly messages: readonly Message[];
  readonly replay: ReplayOptions;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** The deterministic rendering. */
  write(messages: readonly Message[]): { readonly conversation: Conversation; readonly spans: readonly Span[] };
}

/** What is left to try for a message. */
interface Choice {
  readonly known: readonly KnownCall[];
  readonly plans: TurnPlan[];
}

/**
 * A render with the stored ids in place of the calls that are known. What is exchanged is proven afterwards: all other text is
 * there to the letter, and every turn reads as before.
 */
export function renderReplayed(context: ReplayContext, request: ReplayRequest): RenderedTokens {
  const { tokenizer, identity } = context;
  const found = knownCalls(request.messages, request.replay, identity, (ids) => decodeKnown(ids, tokenizer));
  const { conversation, spans } = request.write(found.messages);
  const rendered = renderedTokens(spans, conversation, tokenizer);
  const all = [...found.known.values()].flat();
  if (all.length === 0) return { ...rendered, replay: report([], found.unknown, []) };
  const plain = plainRender(rendered, tokenizer);
  const placed = placeSpans(spans, tokenizer);
  const planning = planContext(context, request);
  const choices = new Map<number, Choice>();
  for (const [message, known] of placed.length === plain.bytes.length ? found.known : []) {
    const names = conversation.messages[message].toolCalls.map(({ name }) => name);
    choices.set(message, { known, plans: turnPlans(planning, plain, message, names, known) });
  }
  for (;;) {
    const plans = [...choices.values()].flatMap(({ plans }) => plans.slice(0, 1));
    if (plans.length === 0) return { ...rendered, replay: report([], [...found.unknown, ...notPlaced(all, [])], []) };
    const edits = plans.flatMap((plan) => plan.edits);
    const edited = placed.edited(edits);
    if (edited === null) {
      // Which of the exchanges cuts a character or a token is found one by one.
      for (const { plans } of choices.values()) if (plans[0] && !placed.edited(plans[0].edits)) plans.shift();
      continue;
    }
    const result = renderedTokens(edited, conversation, tokenizer);
    const failed = failures(planning, plain.bytes, plans, result);
    if (failed.size === 0) {
      const { replayed, turns } = placesIn(plans, result, tokenizer);
      return { ...result, replay: report(replayed, [...found.unknown, ...notPlaced(all, replayed)], turns) };
    }
    for (const { plans } of choices.values()) if (plans[0] && failed.has(plans[0])) plans.shift();
  }
}

function planContext({ tokenizer, format, locator }: ReplayContext, { tools }: ReplayRequest): PlanContext {
  const { grammar } = format;
  const inBlocks = grammar.kind === "layout" || (grammar.kind === "tagged" && grammar.list !== undefined);
  const { turnStart, kind } = grammar;
  return { tokenizer, locator, turnStart, framed: kind === "framed", inBlocks, tools };
}

/** Nothing for ids that the vocabulary does not have. */
function decodeKnown(ids: Int32Array, tokenizer: Tokenizer): Uint8Array {
  const isKnown = ids.every((id) => id >= 0 && id < tokenizer.vocabSize);
  return isKnown ? tokenizer.decodeBytes(ids) : new Uint8Array(0);
}

/** The plans after which the text is another one, or a turn says something else. */
function failures(
  context: PlanContext,
  plain: Uint8Array,
  plans: readonly TurnPlan[],
  result: RenderedTokens,
): Set<TurnPlan> {
  const bytes = context.tokenizer.decodeBytes(result.tokenIds);
  const starts = byteStarts(result.tokenIds, context.tokenizer);
  const failed = new Set<TurnPlan>();
  let shift = 0;
  let kept = 0;
  for (const plan of plans) {
    const from = plan.from + shift;
    for (const edit of plan.edits) {
      const [start, end] = edit.bytes;
      if (!isSame(plain.subarray(kept, start), bytes.subarray(kept + shift, start + shift))) failed.add(plan);
      shift += byteLength(edit.ids, context.tokenizer) - (end - start);
      kept = end;
    }
    if (failed.size > 0) return failed;
    if (!plan.isWhole && !staysProven(context, plan, result, starts, from)) failed.add(plan);
  }
  const rest = plain.subarray(kept);
  const isComplete = isSame(rest, bytes.subarray(kept + shift));
  if (!isComplete) failed.add(plans.at(-1)!);
  return failed;
}

/** Reads the turn again with the exchanged ids. */
function staysProven(
  context: PlanContext,
  plan: TurnPlan,
  { tokenIds, messageIndices }: RenderedTokens,
  starts: Int32Array,
  from: number,
): boolean {
  const [{ message }] = plan.edits;
  let end = tokenAt(starts, from) + 1;
  while (end < messageIndices.length && messageIndices[end] === message) end++;
  const { response } = readFrom(context, tokenIds, starts, from, end);
  const { stop } = response;
  return isProven(plan, response, stop.kind === "stop" ? starts[end] - stopByte(starts, from, stop.index) : null);
}

function byteLength(ids: Int32Array, tokenizer: Tokenizer): number {
  return ids.reduce((length, id) => length + tokenizer.byteLength(id), 0);
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Where the exchanged ids stand in the result. */
function placesIn(plans: readonly TurnPlan[], { tokenIds }: RenderedTokens, tokenizer: Tokenizer) {
  const starts = byteStarts(tokenIds, tokenizer);
  const replayed: ReplayedCall[] = [];
  const turns: { message: number; tokenSpan: readonly [number, number] }[] = [];
  let shift = 0;
  for (const { isWhole, edits } of plans) {
    for (const { bytes, ids, message, calls } of edits) {
      const at = tokenAt(starts, bytes[0] + shift);
      shift += byteLength(ids, tokenizer) - (bytes[1] - bytes[0]);
      if (isWhole) turns.push({ message, tokenSpan: [at, at + ids.length] });
      for (const { known, tokens } of calls) {
        const tokenSpan = [at + tokens[0], at + tokens[1]] as const;
        replayed.push({ message, call: known.call, id: known.id, tokenSpan });
      }
    }
  }
  return { replayed, turns };
}

function notPlaced(all: readonly KnownCall[], replayed: readonly ReplayedCall[]): NotReplayedCall[] {
  const done = new Set(replayed.map(({ message, call }) => `${message}.${call}`));
  return all.flatMap(({ message, call, id }) =>
    done.has(`${message}.${call}`) ? [] : [{ message, call, id, reason: "not_placed" as const }],
  );
}

function report(
  replayed: readonly ReplayedCall[],
  notReplayed: readonly NotReplayedCall[],
  turns: ReplayReport["turns"],
): ReplayReport {
  const inOrder = [...notReplayed].sort((a, b) => a.message - b.message || a.call - b.call);
  return { replayed, notReplayed: inOrder, turns };
}
