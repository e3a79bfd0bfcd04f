import type { Content, Message } from "../messages/index.ts";
import type { Renderer } from "../renderers/renderer.ts";
import type { Ids } from "../tokenizer/types.ts";
import { type Call, packIds } from "./calls.ts";
import type { Affinity, Host } from "./host.ts";
import type { AsyncParser, AsyncRenderer, CallOptions } from "./types.ts";
import { weightOfBridge, weightOfParse, weightOfRender } from "./weight.ts";

/** Ids that a stream reads before the event loop gets a turn. */
const IDS_PER_TURN = 4096;

/** How calls are made out of what users pass. */
export interface CallContext {
  /** Only this thread knows how to read images. */
  readonly keepsMedia: boolean;
}

/** The methods of a renderer with promises. `check` throws where they may not be used any more. */
export function asyncRenderer(host: Host, check: () => void, affinity?: Affinity): AsyncRenderer {
  const { render: _, renderIds: __, parseResponse: ___, bridgeToNextTurn: ____, parser, ...facts } = host.renderer;
  const run = async <Value>(call: Call, options: CallOptions): Promise<Value> => {
    check();
    return (await host.run(call, options, affinity)) as Value;
  };
  return {
    ...facts,
    render: (messages, options = {}) => run(renderCall("render", messages, options, host), options),
    renderIds: (messages, options = {}) => run(renderCall("renderIds", messages, options, host), options),
    parseResponse: (ids, options) => run(parseCall(ids, options), options),
    bridgeToNextTurn: (request) => run(bridgeCall(request, host), request),
    async parser(options) {
      check();
      const ticket = host.open<AsyncParser>("Opening a parser", options);
      if (ticket.isOpen) ticket.resolve(asyncParser(host, parser(withoutCallOptions(options))));
      return ticket.promise;
    },
  };
}

type Options<Method extends keyof AsyncRenderer> = AsyncRenderer[Method] extends (...args: infer Args) => unknown
  ? Args extends readonly [unknown, (infer Second)?]
    ? NonNullable<Second>
    : never
  : never;

export function renderCall(
  operation: "render" | "renderIds",
  messages: Parameters<AsyncRenderer["render"]>[0],
  options: Options<"render">,
  context: CallContext,
): Call {
  return {
    operation,
    args: [messages, withoutCallOptions(options)],
    weight: weightOfRender(messages, options.tools),
    stays: stays(messages, options.images, context),
  };
}

export function parseCall(ids: Ids, options: Options<"parseResponse">): Call {
  const { prompt, ...rest } = withoutCallOptions(options);
  return {
    operation: "parseResponse",
    args: [packIds(ids), { ...rest, prompt: packIds(prompt) }],
    weight: weightOfParse(ids),
    stays: false,
  };
}

function bridgeCall(request: Parameters<AsyncRenderer["bridgeToNextTurn"]>[0], context: CallContext): Call {
  const { promptIds, completionIds, ...rest } = withoutCallOptions(request);
  return {
    operation: "bridgeToNextTurn",
    args: [{ ...rest, promptIds: packIds(promptIds), completionIds: packIds(completionIds) }],
    weight: weightOfBridge(request.newMessages, completionIds),
    stays: stays(request.newMessages, request.images, context),
  };
}

/** Images that were loaded are not copied from thread to thread; nor does a processor cross. */
function stays(messages: readonly Message[], images: unknown, { keepsMedia }: CallContext): boolean {
  if (images !== undefined) return true;
  return keepsMedia && Array.isArray(messages) && messages.some((message) => hasMedia(message?.content));
}

function hasMedia(content: Content | undefined): boolean {
  return Array.isArray(content) && content.some((part) => part?.type !== "text" && part?.type !== "thinking");
}

/** A signal belongs to this thread. */
function withoutCallOptions<Given extends CallOptions>(options: Given): Omit<Given, keyof CallOptions> {
  const { signal: _, timeoutMs: __, ...rest } = options;
  return rest;
}

function asyncParser(host: Host, parser: ReturnType<Renderer["parser"]>): AsyncParser {
  let last: Promise<unknown> = Promise.resolve();
  const after = <Value>(what: string, options: CallOptions, work: (isOpen: () => boolean) => Promise<Value>) => {
    const ticket = host.open<Value>(what, options);
    const begun = last.then(() => (ticket.isOpen ? work(() => ticket.isOpen) : undefined));
    last = begun.catch(() => {});
    begun.then(
      (value) => ticket.resolve(value as Value),
      (error) => ticket.reject(error),
    );
    return ticket.promise;
  };
  return {
    get state() {
      return parser.state;
    },
    async push(ids, options = {}) {
      const all = packIds(ids);
      return after("Reading ids", options, async () => {
        const events = [];
        // A stream that is cut short would have lost ids: once begun, they are all read.
        for (let at = 0; at < all.length; at += IDS_PER_TURN) {
          const some = all.slice(at, at + IDS_PER_TURN);
          for (const event of await host.turn({ isOpen: true }, () => parser.push(some))) events.push(event);
        }
        return events;
      });
    },
    async end(options = {}) {
      return after("Ending a parser", options, () => host.turn({ isOpen: true }, () => parser.end()));
    },
  };
}
