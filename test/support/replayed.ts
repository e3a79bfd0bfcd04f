import fc from "fast-check";
import {
  equalJson,
  type JsonInput,
  type Message,
  parseJson,
  type RecordedCompletion,
  type RenderedTokens,
  type Renderer,
  type ReplaySource,
  type StoredCall,
  type ToolCallStore,
  type ToolSpec,
} from "../../src/index.ts";
import { tryParseJson } from "../../src/messages/index.ts";
import { results, sampledTurn, type TurnLimits, type TurnSample, texts, turns } from "../../src/testing/index.ts";
import { inSingleBytes } from "../../src/testing/readings.ts";
import { vocabularyOf } from "../../src/testing/vocabulary.ts";

/** A turn with calls, and their results. */
export interface Cycle {
  readonly turn: TurnSample;
  readonly answers: readonly Message[];
}

export function cycles(renderer: Renderer, limits: TurnLimits = {}): fc.Arbitrary<Cycle> {
  const { words } = vocabularyOf(renderer);
  return turns({ ...limits, words })
    .filter(({ message }) => message.tool_calls !== undefined)
    .chain((turn) => results(turn.message, texts()).map((answers) => ({ turn, answers })));
}

/** How a sampled call differs from a rendered one. */
export interface Variation {
  /** Every so many ordinary tokens of the calls are spelled byte by byte; 0: none. */
  readonly splitEvery: number;
  /** JSON without the spaces that Python's `dumps` writes. */
  readonly tight: boolean;
}

export const variations: fc.Arbitrary<Variation> = fc.record({
  splitEvery: fc.constantFrom(0, 1, 2, 3),
  tight: fc.boolean(),
});

export const asRendered: Variation = { splitEvery: 0, tight: false };

/** A completion with its calls said in another way, as far as they are still the same calls. */
export function varied(
  renderer: Renderer,
  completion: Int32Array,
  options: { readonly prompt: Int32Array; readonly tools: readonly ToolSpec[] },
  { splitEvery, tight }: Variation,
): Int32Array {
  const { tokenizer } = renderer;
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const { toolCalls } = renderer.parseResponse(completion, options);
  const ids: number[] = [];
  let at = 0;
  for (const { tokenSpan } of toolCalls) {
    const [start, end] = [Math.max(at, tokenSpan[0]), tokenSpan[1]];
    ids.push(...completion.subarray(at, start));
    const text = tokenizer.decode(completion.subarray(start, end));
    const tightened = tight ? tokenizer.encode(text.replaceAll('": ', '":').replaceAll('", "', '","')) : null;
    const spelled = tightened ?? completion.subarray(start, end);
    spelled.forEach((id, index) => {
      const bytes =
        splitEvery > 0 && index % splitEvery === 0 && !added.has(id) ? inSingleBytes(tokenizer, [id]) : null;
      ids.push(...(bytes ?? [id]));
    });
    at = end;
  }
  ids.push(...completion.subarray(at));
  const changed = Int32Array.from(ids);
  if (saysTheSame(renderer, completion, changed, options)) return changed;
  return tight ? varied(renderer, completion, options, { splitEvery, tight: false }) : completion;
}

function saysTheSame(
  renderer: Renderer,
  a: Int32Array,
  b: Int32Array,
  options: { readonly prompt: Int32Array; readonly tools: readonly ToolSpec[] },
): boolean {
  const [ours, theirs] = [a, b].map((ids) => renderer.parseResponse(ids, options));
  return (
    ours.content === theirs.content &&
    ours.reasoning?.text === theirs.reasoning?.text &&
    ours.toolCalls.length === theirs.toolCalls.length &&
    ours.toolCalls.every(({ name, argumentsText, status }, index) => {
      const other = theirs.toolCalls[index];
      const [value, otherValue] = [tryParseJson(argumentsText ?? ""), tryParseJson(other.argumentsText ?? "")];
      return (
        name === other.name &&
        status === other.status &&
        value.ok &&
        otherValue.ok &&
        equalJson(value.value, otherValue.value)
      );
    })
  );
}

/** The message as a client gives it back, which has read the arguments and printed them with its own library. */
export function fromClient(message: Message): Message {
  return {
    ...message,
    tool_calls:
      message.tool_calls?.map((call) => ({
        ...call,
        function: { name: call.function!.name, arguments: reprinted(call.function!.arguments as string) },
      })) ?? null,
  };
}

/** As `JSON.stringify` prints it, where that keeps the numbers. */
function reprinted(text: string): string {
  const printed = JSON.stringify(JSON.parse(text), null, 2);
  return equalJson(parseJson(text), parseJson(printed) as JsonInput) ? printed : text;
}

export interface Served {
  readonly prompt: Int32Array;
  readonly completion: Int32Array;
  readonly recorded: RecordedCompletion;
  /** The history with this turn and its results, as the client gives it back. */
  readonly history: readonly Message[];
}

export interface ServeOptions {
  readonly variation?: Variation;
  /** The prompt is what stands before the turn in its history, in a format that drops there what its prompts open. */
  readonly asInHistory?: boolean | undefined;
}

let minted = 0;

/** One request to a stateless server: a prompt from the history, a completion, the record of it, and the client's answer. */
export function serve(
  renderer: Renderer,
  store: ToolCallStore,
  before: readonly Message[],
  { turn: { message, tools }, answers }: Cycle,
  { variation = asRendered, asInHistory = false }: ServeOptions = {},
): Served {
  const { stopTokenIds } = renderer;
  const sampled = sampledTurn(renderer, [...before, message], tools);
  if (sampled === null) throw new Error("The format samples nothing of the turn.");
  const generating = { tools, addGenerationPrompt: true, replay: store };
  const prompt = asInHistory ? sampled.prompt : renderer.renderIds(before, generating);
  const isStopped = sampled.completion.some((id) => stopTokenIds.includes(id));
  const said = [...sampled.completion, ...(isStopped ? [] : stopTokenIds.slice(0, 1))];
  const completion = varied(renderer, Int32Array.from(said), { prompt, tools }, variation);
  const mintId = () => `t${String(minted++).padStart(8, "0")}`;
  const recorded = store.record(completion, { renderer, prompt, tools, mintId });
  const ids = recorded.message.tool_calls?.map((call) => call.id ?? "") ?? [];
  if (ids.length !== answers.length) throw new Error(`${ids.length} calls were read, and ${answers.length} said.`);
  const results = answers.map((answer, index) => ({ ...answer, tool_call_id: ids[index] }));
  return { prompt, completion, recorded, history: [...before, fromClient(recorded.message), ...results] };
}

/** The calls of these messages without the completions that they are from. */
export function callsAlone(store: ToolCallStore, messages: readonly Message[]): ReadonlyMap<string, StoredCall> {
  const ids = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id ?? "") ?? []);
  return new Map(
    ids.flatMap((id) => {
      const stored = store.get(id);
      return stored ? [[id, { ...stored, turn: null }] as const] : [];
    }),
  );
}

/** The text of a render without the bytes of its replayed calls. */
export function textAround(renderer: Renderer, rendered: RenderedTokens, store: ReplaySource): string {
  const { tokenizer } = renderer;
  const lengths = Array.from(rendered.tokenIds, (id) => tokenizer.byteLength(id));
  const byteOf = (token: number) => lengths.slice(0, token).reduce((sum, length) => sum + length, 0);
  const bytes = Buffer.from(tokenizer.decodeBytes(rendered.tokenIds));
  const kept: Buffer[] = [];
  let from = 0;
  for (const { id, tokenSpan } of rendered.replay?.replayed ?? []) {
    const { head = 0, tail = 0 } = store.get(id) ?? {};
    kept.push(bytes.subarray(from, byteOf(tokenSpan[0]) + head), Buffer.from("·"));
    from = byteOf(tokenSpan[1]) - tail;
  }
  // Ids are minted anew each time.
  return Buffer.concat([...kept, bytes.subarray(from)])
    .toString("utf8")
    .replaceAll(/t\d{8}/g, "t");
}
