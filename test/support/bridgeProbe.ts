import type { BridgeResult, Message, Renderer, ToolSpec } from "../../src/index.ts";
import { sampledTurn } from "../../src/testing/index.ts";

/** A place in a conversation where an environment answers an assistant. */
export interface BridgePlace {
  /** Up to and with the assistant's turn. */
  readonly history: readonly Message[];
  readonly next: readonly Message[];
}

/** Every place of a conversation behind an assistant's turn; behind the last one a question. */
export function bridgePlaces(messages: readonly Message[]): BridgePlace[] {
  return messages.flatMap(({ role }, at) => {
    if (role !== "assistant") return [];
    const end = messages.findIndex((message, index) => index > at && message.role === "assistant");
    const next = messages.slice(at + 1, end < 0 ? undefined : end);
    const history = messages.slice(0, at + 1);
    return [{ history, next: next.length > 0 ? next : [{ role: "user", content: "And now?" }] }];
  });
}

/** A bridge behind the turn as a model would have sampled it; null: the renderer does not write the turn. */
export function bridgeAt(renderer: Renderer, { history, next }: BridgePlace, tools: readonly ToolSpec[] | undefined) {
  const turn = sampledTurn(renderer, history, tools);
  if (turn === null) return null;
  const stops = renderer.stopTokenIds;
  const isClosed = stops.includes(turn.completion[turn.completion.length - 1]!);
  // Some templates leave the last turn open: a model ends it.
  const completionIds = isClosed ? turn.completion : Int32Array.from([...turn.completion, stops[0]!]);
  const request = { promptIds: turn.prompt, completionIds, newMessages: next, tools };
  const result: BridgeResult = renderer.bridgeToNextTurn(request);
  return { ...request, result };
}
