import fc from "fast-check";
import {
  equalJson,
  type JsonInput,
  type JsonValue,
  type Message,
  parseJson,
  pythonLiteral,
  type ToolSpec,
  tryParseJson,
} from "../messages/index.ts";
import type { ParsedToolCall, ParserEvent, ParserState } from "../parse/index.ts";
import { type Renderer, toOpenAIMessage } from "../renderers/index.ts";
import { tokensPerMessage } from "../tokens/index.ts";
import { completions, sampledTurn } from "./completions.ts";
import { conversations, results, type TurnLimits, turns } from "./conversations.ts";
import { hostileTexts, texts } from "./text.ts";
import { vocabularyOf } from "./vocabulary.ts";

export interface RoundTripOptions extends TurnLimits {
  /** Give the parser the tools. Default true; without, arguments of formats that write no quotes may be ambiguous. */
  readonly tools?: boolean | undefined;
}

const user: Message = { role: "user", content: "hi" };

/**
 * An assistant's turn that is rendered and read again is the same: content, names, arguments with their types, and reasoning
 * where the format keeps it. The response is `canonical`, and rendering what was read gives the same text.
 */
export function roundTrips(renderer: Renderer, options: RoundTripOptions = {}) {
  const { words } = vocabularyOf(renderer);
  return fc.property(turns({ ...options, words }), ({ message, tools }) => {
    const turn = sampledTurn(renderer, [user, message], tools);
    fc.pre(turn !== null);
    const parsed = renderer.parseResponse(stopped(renderer, turn.completion), {
      prompt: turn.prompt,
      tools: options.tools === false ? null : tools,
    });
    same("content", message.content, parsed.content);
    if (keepsReasoning(renderer, message, tools)) same("reasoning", message.reasoning_content, parsed.reasoning?.text);
    const calls = message.tool_calls ?? [];
    same("number of calls", calls.length, parsed.toolCalls.length);
    for (const [index, call] of calls.entries()) {
      const read = parsed.toolCalls[index];
      same("name", call.function?.name, read.name);
      sameArguments(call.function?.arguments as JsonInput, read, options.tools !== false);
    }
    if (options.tools === false && parsed.toolCalls.some((call) => call.status === "ambiguous_arguments")) return;
    same("canonical", true, parsed.canonical);
    const again = sampledTurn(renderer, [user, toOpenAIMessage(parsed).message], tools);
    same("text", renderer.tokenizer.decode(turn.completion), renderer.tokenizer.decode(again?.completion ?? []));
  });
}

/** With a schema every argument is read by its type; without, a text may be taken for the value that it prints like. */
function sameArguments(given: JsonInput, read: ParsedToolCall, typed: boolean): void {
  if (read.argumentsText === null) throw new Error(`arguments were not read: ${read.status} ${read.raw}`);
  const value = parseJson(read.argumentsText);
  if (typed || read.status !== "ambiguous_arguments") {
    if (read.status !== "ok") throw new Error(`status ${read.status} of ${read.raw}`);
    if (!equalJson(given, value)) throw new Error(`arguments ${show(given)} read as ${read.argumentsText}`);
    return;
  }
  for (const [key, one] of value as ReadonlyMap<string, JsonValue>) {
    const original = (given as Record<string, JsonInput>)[key];
    if (!equalJson(original, one) && !readings(original).some((reading) => equalJson(reading, one)))
      throw new Error(`argument ${key} ${show(original)} read as ${show(one)}`);
  }
}

/** Some formats close a turn with the next one's marker, which a conversation's last turn does not have. */
function stopped({ stopTokenIds }: Renderer, completion: Int32Array, stop = stopTokenIds[0]): Int32Array {
  if (completion.some((id) => stopTokenIds.includes(id)) || !stopTokenIds.includes(stop)) return completion;
  return Int32Array.from([...completion, stop]);
}

/** Does the format write this turn's reasoning? */
function keepsReasoning(renderer: Renderer, message: Message, tools: readonly ToolSpec[]): boolean {
  const mark = "thoughts of a kind that no one has";
  const turn = sampledTurn(renderer, [user, { ...message, reasoning_content: mark }], tools);
  return turn !== null && message.reasoning_content !== "" && renderer.tokenizer.decode(turn.completion).includes(mark);
}

/** Values that a text may also be the printing of: as JSON, or as Python prints it. */
function readings(original: JsonInput): JsonValue[] {
  if (typeof original !== "string") return [];
  const json = tryParseJson(original);
  const python = pythonLiteral(original);
  return [...(json.ok ? [json.value] : []), ...(python === undefined ? [] : [python])];
}

/** Whatever the completion is, a bridge does not throw: it refuses with a reason, or adds ids none of which is sampled. */
export function bridgeExtends(renderer: Renderer, limits: TurnLimits = {}) {
  return fc.property(completions(renderer, limits), texts(), ({ prompt, completion, tools }, content) => {
    const request = { promptIds: prompt, completionIds: completion, tools };
    const bridge = renderer.bridgeToNextTurn({ ...request, newMessages: [{ role: "tool", name: "search", content }] });
    if (!bridge.ok) {
      if (bridge.message.length < 20) throw new Error(`a refusal without a sentence: ${bridge.reason}`);
      return;
    }
    const { tokenIds, sampledMask, messageIndices } = bridge.extension;
    const { stop } = renderer.parseResponse(completion, { prompt });
    // Behind a marker a format of several messages may have none open.
    const mayBeClosed = renderer.tokenizer.addedTokens.some((token) => token.id === completion.at(-1));
    if (stop.kind === "stop" || !mayBeClosed) same("synthetic close", stop.kind === "none", bridge.synthetic !== null);
    same("a sampled token", false, sampledMask.includes(1));
    if (bridge.synthetic && !(bridge.synthetic[0] === 0 && bridge.synthetic[1] <= tokenIds.length))
      throw new Error(`synthetic ${bridge.synthetic} of ${tokenIds.length}`);
    same("messages", true, messageIndices.includes(0));
  });
}

/**
 * Where a full render keeps the history as it was sampled, a bridge is possible and gives the same ids. Fails, as too many
 * skipped runs, if the format never keeps it.
 */
export function bridgeEqualsRender(renderer: Renderer, limits: TurnLimits = {}) {
  const { words } = vocabularyOf(renderer);
  const cycles = turns({ ...limits, words: words.filter((one) => one !== ""), maxCalls: 1 })
    .filter(({ message }) => message.tool_calls !== undefined)
    .chain((turn) => fc.record({ turn: fc.constant(turn), answers: results(turn.message, texts()) }));
  return fc.property(cycles, ({ turn: { message, tools }, answers }) => {
    const turn = sampledTurn(renderer, [user, message], tools);
    fc.pre(turn !== null);
    const full = renderer.renderIds([user, message, ...answers], { tools, addGenerationPrompt: true });
    const next = full[turn.prompt.length + turn.completion.length];
    const completion = stopped(renderer, turn.completion, next);
    const history = [...turn.prompt, ...completion];
    fc.pre(history.every((id, i) => full[i] === id));
    const request = { promptIds: turn.prompt, completionIds: completion, newMessages: answers, tools };
    const bridge = renderer.bridgeToNextTurn(request);
    if (!bridge.ok) throw new Error(`refused, though the history stays: ${bridge.reason}`);
    same("next prompt", full.join(" "), [...history, ...bridge.extension.tokenIds].join(" "));
  });
}

/** Any way of cutting a completion into pieces, the state stored between them, gives the same response and events. */
export function chunkingInvariant(renderer: Renderer, limits: TurnLimits = {}) {
  const opening = fc.constantFrom("open", "closed", "unknown", "prompt");
  return fc.property(
    completions(renderer, limits),
    fc.array(fc.nat(5), { maxLength: 60 }),
    opening,
    (turn, cuts, reasoning) => {
      const prompt = reasoning === "prompt" ? turn.prompt : { reasoning };
      const options = { prompt, tools: turn.tools };
      const parser = renderer.parser(options);
      const wholeEvents = parser.push(turn.completion);
      const whole = parser.end();
      let state: ParserState | undefined;
      const events: ParserEvent[] = [];
      for (const piece of pieces(turn.completion, cuts)) {
        const next = renderer.parser({ ...options, state });
        events.push(...next.push(piece));
        state = JSON.parse(JSON.stringify(next.state)) as ParserState;
      }
      const last = renderer.parser({ ...options, state }).end();
      same("response", show(whole.response), show(last.response));
      same("events", show(joined([...wholeEvents, ...whole.events])), show(joined([...events, ...last.events])));
      same("content", whole.response.content, said(events.concat(last.events), "content"));
      same("reasoning", whole.response.reasoning?.text ?? "", said(events.concat(last.events), "reasoning"));
      let end = 0;
      for (const { tokenSpan } of whole.response.toolCalls) {
        if (tokenSpan[0] < end || tokenSpan[1] > turn.completion.length)
          throw new Error(`token span ${tokenSpan} after ${end}`);
        end = tokenSpan[1];
      }
    },
  );
}

/** Columns are equally long and account for every token; only assistants' tokens are sampled, and those are content. */
export function masksConsistent(renderer: Renderer, limits: TurnLimits = {}) {
  const { words } = vocabularyOf(renderer);
  return fc.property(
    conversations({ ...limits, contents: texts(), words }),
    fc.boolean(),
    ({ messages, tools }, addGenerationPrompt) => {
      const rendered = renderer.render(messages, { tools, addGenerationPrompt });
      const { tokenIds, messageIndices, sampledMask, contentMask } = rendered;
      for (const column of [messageIndices, sampledMask, contentMask]) same("length", tokenIds.length, column.length);
      same("ids", tokenIds.join(" "), renderer.renderIds(messages, { tools, addGenerationPrompt }).join(" "));
      const scaffold = messageIndices.filter((message) => message === -1).length;
      same("tokens", tokenIds.length, tokensPerMessage(rendered).reduce((a, b) => a + b, 0) + scaffold);
      for (const [i, bit] of sampledMask.entries()) {
        if (messageIndices[i] >= 0 && messages[messageIndices[i]].role === "assistant")
          same("content of a sampled token", bit, contentMask[i]);
        else same("a sampled token outside an assistant's turn", 0, bit);
      }
    },
  );
}

/** No text of a user, tool, system message or tool spec makes a control token or marker (`contentSpecials: "text"`). */
export function injectionSafe(renderer: Renderer, limits: TurnLimits = {}) {
  const { markers, words } = vocabularyOf(renderer);
  const specials = new Set(renderer.tokenizer.addedTokens.map((token) => token.id));
  const count = (ids: Int32Array) => ids.filter((id) => specials.has(id)).length;
  const hostile = hostileTexts(markers).map((one) => `x${one}x`);
  return fc.property(
    conversations({ ...limits, contents: hostile, words }),
    hostile,
    ({ messages, tools }, description) => {
      const withTools = (text: string) =>
        tools.map((tool) => ({
          ...tool,
          function: { ...(tool as { function: { name: string } }).function, description: text },
        })) as typeof tools;
      const harmless = messages.map((one) => (one.role === "assistant" ? one : { ...one, content: "x" }));
      same(
        "control tokens",
        count(renderer.renderIds(harmless, { tools: withTools("x") })),
        count(renderer.renderIds(messages, { tools: withTools(description) })),
      );
    },
  );
}

function same(what: string, expected: unknown, actual: unknown): void {
  if (!Object.is(expected, actual)) throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${one}n` : one));
}

const said = (events: readonly ParserEvent[], kind: "content" | "reasoning"): string =>
  events.map((event) => (event.kind === kind ? event.text : "")).join("");

/** Neighbours of one kind are one. A call's text and its arguments come in turns, and in what turns depends on how ids come. */
function joined(events: readonly ParserEvent[]): ParserEvent[] {
  const all: ParserEvent[] = [];
  for (const event of events) {
    let at = all.length - 1;
    while (isCallText(event) && isCallText(all[at]) && all[at].kind !== event.kind) at--;
    const before = all[at];
    if (before && "text" in before && "text" in event && before.kind === event.kind)
      all[at] = { ...before, text: before.text + event.text };
    else all.push(event);
  }
  return all;
}

const isCallText = (event: ParserEvent | undefined): boolean =>
  event?.kind === "toolCallDelta" || event?.kind === "toolCallArguments";

function pieces(ids: Int32Array, cuts: readonly number[]): Int32Array[] {
  const all: Int32Array[] = [];
  let at = 0;
  for (const cut of cuts) {
    all.push(ids.subarray(at, at + cut));
    at = Math.min(ids.length, at + cut);
  }
  return [...all, ids.subarray(at)];
}
