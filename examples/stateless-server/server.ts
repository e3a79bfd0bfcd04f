import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  type Message,
  messagesFromJson,
  parseJson,
  type Renderer,
  TitoError,
  type ToolCallStore,
  type ToolSpec,
  toolsFromJson,
  toPlain,
} from "../../src/index.ts";
import type { SamplerHost } from "../../src/sampler/index.ts";

/** What one request was to the model. */
export interface Exchange {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[] | undefined;
  readonly promptIds: Int32Array;
  readonly completionIds: Int32Array;
}

export interface ServerParts {
  readonly renderer: Renderer;
  readonly host: SamplerHost;
  /** The only thing kept between requests: calls by the ids that they were given. */
  readonly store: ToolCallStore;
  readonly onExchange: (exchange: Exchange) => void;
}

/** `POST /v1/chat/completions`, as OpenAI's: whole conversations come in, and nothing is known of the last request. */
export function chatServer(parts: ServerParts): Server {
  return createServer(async (request, response) => {
    // A client that has gone needs no more tokens.
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { status, body } = await answer(parts, request, gone.signal);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

interface HttpAnswer {
  readonly status: number;
  readonly body: object;
}

async function answer(parts: ServerParts, request: IncomingMessage, signal: AbortSignal): Promise<HttpAnswer> {
  if (request.method !== "POST" || request.url !== "/v1/chat/completions")
    return refused(404, "not_found", "There is POST /v1/chat/completions only.");
  try {
    return { status: 200, body: await complete(parts, await textOf(request), signal) };
  } catch (error) {
    // A mistake in the request has a code and a sentence.
    if (error instanceof TitoError) return refused(400, error.code, error.message);
    return refused(500, "failed", String(error));
  }
}

const refused = (status: number, code: string, message: string): HttpAnswer => ({
  status,
  body: { error: { code, message } },
});

async function complete(
  { renderer, host, store, onExchange }: ServerParts,
  text: string,
  signal: AbortSignal,
): Promise<object> {
  // Numbers keep their text (1.0), and objects the order of their keys.
  const body = parseJson(text);
  if (!(body instanceof Map)) throw new TitoError("invalid_request", "The body is an object with messages.");
  const messages = messagesFromJson(body.get("messages") ?? []);
  const tools = body.has("tools") ? toolsFromJson(body.get("tools")) : undefined;
  // The client may not carry thoughts: those that go with a known call come from the store.
  const replay = { store, reasoning: "recorded" } as const;
  const promptIds = renderer.renderIds(messages, { tools, addGenerationPrompt: true, replay });
  const sampling = { temperature: 0.7, topK: 50, seed: Number(toPlain(body.get("seed") ?? 0)), maxTokens: 128 };
  const completion = await host.complete({ prompt: promptIds, ...sampling, stop: renderer.stopTokenIds, signal });
  const { message, finishReason } = store.record(completion.ids, { renderer, prompt: promptIds, tools });
  onExchange({ messages, tools, promptIds, completionIds: completion.ids });
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: toPlain(body.get("model") ?? "embedded"),
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: {
      prompt_tokens: promptIds.length,
      completion_tokens: completion.ids.length,
      total_tokens: promptIds.length + completion.ids.length,
      prompt_tokens_details: { cached_tokens: completion.reusedTokens },
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
