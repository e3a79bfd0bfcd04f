import { TitoError } from "../errors.ts";
import type { WireFormat } from "../format/index.ts";
import type { Conversation, Message } from "../messages/index.ts";
import type { KnownTool } from "../parse/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import type { RenderedTokens, Span } from "../tokens/index.ts";
import { callLocator, type LocatedCalls, type LocateRequest } from "./locateCalls.ts";
import { renderReplayed } from "./renderReplayed.ts";
import type { RendererIdentity, ReplayOptions, ReplaySource } from "./types.ts";

/** What a renderer has for exact replay. */
export interface Replayer {
  locate(ids: Ids, request: LocateRequest): LocatedCalls;
  render(
    messages: readonly Message[],
    replay: ReplaySource | ReplayOptions,
    tools: ReadonlyMap<string, KnownTool> | null,
    write: (messages: readonly Message[]) => { readonly conversation: Conversation; readonly spans: readonly Span[] },
  ): RenderedTokens;
}

/** `identity` is asked for when something is replayed. */
export function bindReplayer(tokenizer: Tokenizer, format: WireFormat, identity: () => RendererIdentity): Replayer {
  const locator = callLocator(tokenizer, format);
  // The locator's own ids lie behind the vocabulary; from outside they are none.
  const own = (ids: Ids) => Int32Array.from(ids, (id) => (id < tokenizer.vocabSize ? id : -1));
  return {
    locate: (ids, request) => locator.locate(own(ids), request),
    render(messages, replay, tools, write) {
      const context = { tokenizer, format, locator, identity: identity() };
      return renderReplayed(context, { messages, replay: replayOptions(replay), tools, write });
    },
  };
}

function replayOptions(replay: ReplaySource | ReplayOptions): ReplayOptions {
  const options: ReplayOptions =
    "store" in Object(replay) ? (replay as ReplayOptions) : { store: replay as ReplaySource };
  const { store, reasoning = "sent" } = options;
  if (typeof store?.get !== "function") {
    throw new TitoError("invalid_config", "replay: expected a ToolCallStore, or { store }, found no `get` method.", {
      details: { field: "replay" },
    });
  }
  if (reasoning !== "sent" && reasoning !== "recorded") {
    const found = JSON.stringify(reasoning);
    throw new TitoError("invalid_config", `replay.reasoning: expected "sent" or "recorded", found ${found}.`, {
      details: { field: "replay.reasoning", expected: ["sent", "recorded"], actual: reasoning },
    });
  }
  return { store, reasoning };
}
