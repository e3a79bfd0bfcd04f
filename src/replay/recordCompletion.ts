import { randomUUID } from "node:crypto";
import { TitoError } from "../errors.ts";
import type { ParsedResponse, ParsedToolCall } from "../parse/index.ts";
import { type OpenAIAnswer, toOpenAIMessage } from "../renderers/openai.ts";
import type { ParseOptions, Renderer } from "../renderers/renderer.ts";
import type { Ids } from "../tokenizer/types.ts";
import type { NewCall, StoredCompletion } from "./types.ts";
import { rendererIdentity } from "./vocabularyId.ts";

export interface RecordOptions extends ParseOptions {
  /** The renderer that the prompt is from. */
  readonly renderer: Pick<Renderer, "config" | "tokenizer" | "locateCalls">;
  /**
   * An id for the completion's `index`th call, never given before. Default: `call_` and a random UUID. Ids of the wire format do
   * not do: every conversation has the same ones.
   */
  readonly mintId?: ((index: number, call: ParsedToolCall) => string) | undefined;
}

export interface RecordedCompletion extends OpenAIAnswer {
  readonly parsed: ParsedResponse;
}

/** Stores the calls of a completion that its message has; those that cannot be placed in its ids are not stored. */
export function recordCompletion(
  store: { put(id: string, call: NewCall): void },
  completionIds: Ids,
  { renderer, prompt, tools, mintId = randomId }: RecordOptions,
): RecordedCompletion {
  const { response: parsed, places, opening } = renderer.locateCalls(completionIds, { prompt, tools });
  const minted: { readonly id: string; readonly index: number }[] = [];
  const anew = { ...parsed, toolCalls: parsed.toolCalls.map((call) => ({ ...call, id: null })) };
  const callId = (index: number) => {
    const id = mintId(index, parsed.toolCalls[index]);
    checkMinted(id, minted);
    minted.push({ id, index });
    return id;
  };
  const answer = toOpenAIMessage(anew, { callId });
  const { stop, toolCalls, reasoning } = parsed;
  const ids = Int32Array.from(stop.kind === "stop" ? completionIds.slice(0, stop.index + 1) : completionIds);
  const identity = rendererIdentity(renderer);
  const key = minted[0] ? `${minted[0].id} ${randomUUID()}` : "";
  let completion: StoredCompletion | null = { ids, opening, reasoning: reasoning?.text ?? null };
  for (const { id, index } of minted) {
    const { name, argumentsText, id: wireId, raw } = toolCalls[index];
    const place = places[index];
    if (place === null || name === null || argumentsText === null) continue;
    const { tokens, head, tail } = place;
    const own = ids.slice(...tokens);
    const turn = { key, index, calls: toolCalls.length, start: tokens[0], completion };
    const bytes = renderer.tokenizer.decodeBytes(own);
    store.put(id, { ...identity, name, argumentsText, wireId, raw, ids: own, bytes, head, tail, turn });
    completion = null;
  }
  return { ...answer, parsed };
}

const randomId = (): string => `call_${randomUUID().replaceAll("-", "")}`;

function checkMinted(id: string, minted: readonly { readonly id: string }[]): void {
  const isNew = typeof id === "string" && id !== "" && minted.every((one) => one.id !== id);
  if (isNew) return;
  throw new TitoError(
    "invalid_config",
    `mintId: expected a new id for each call, as text, found ${JSON.stringify(id)}. Leave it out for random ids.`,
    { details: { field: "mintId", actual: id } },
  );
}
