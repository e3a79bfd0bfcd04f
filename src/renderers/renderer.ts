import type { TemplateAnalysis } from "../autoparser/analyze.ts";
import type { BridgeCertificate } from "../bridge/certificate/types.ts";
import { type BridgeRequest, type BridgeResult, bridgeToNextTurn } from "../bridge/index.ts";
import { effectiveRetention, type RendererConfig, type TemplateRetention } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { type ImageFormat, renderedTokens, type WireFormat, type WriteContext } from "../format/index.ts";
import { createImageCache, type ImageProcessor, type ImageStore, imageResolver } from "../images/index.ts";
import {
  checkMessages,
  checkTools,
  type Message,
  normalise,
  type ToolSpec,
  toolFunction,
  toolName,
} from "../messages/index.ts";
import {
  type KnownTool,
  type ParsedResponse,
  type ParserState,
  type PromptContext,
  parserFactory,
  type ResponseGrammar,
  type TokenParser,
} from "../parse/index.ts";
import {
  bindReplayer,
  type LocatedCalls,
  type ReplayOptions,
  type ReplaySource,
  rendererIdentity,
} from "../replay/index.ts";
import type { TemplateSource } from "../template/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import { encodeSpanIds, type RenderedTokens, SpanWriter } from "../tokens/index.ts";
import { checkMedia } from "./checkMedia.ts";

export interface RenderOptions {
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** End with what opens the assistant's turn. Default false. */
  readonly addGenerationPrompt?: boolean | undefined;
  /**
   * Let tool results stand without their call, as they do in the history of a model whose call could not be parsed.
   * Default false: with `validate: "strict"` they are an error.
   */
  readonly orphanResults?: boolean | undefined;
  /**
   * Leave the last message, an assistant's, open behind its content (or reasoning), so that the model goes on in it. Default
   * false. The default renderer alone can do this.
   */
  readonly continueFinalMessage?: boolean | undefined;
  /** Images that are paths or URLs, as `loadImages` gave them. */
  readonly images?: ImageStore | undefined;
  /**
   * Calls whose ids this store has are rendered as they were sampled, and everything else as without it; `replay` of the result
   * says which.
   */
  readonly replay?: ReplaySource | ReplayOptions | undefined;
}

export interface ParseOptions {
  /** Ids of the prompt that the completion was sampled from, or what that prompt opened. */
  readonly prompt: PromptContext;
  /** With tools given, a call of any other name has the status `unknown_tool`. */
  readonly tools?: readonly ToolSpec[] | null | undefined;
}

/** A family bound to a tokenizer and a config. It holds no conversation: one renderer serves any number of rollouts. */
export interface Renderer {
  readonly config: RendererConfig;
  readonly tokenizer: Tokenizer;
  /** Ids that end the assistant's turn: give them to the sampler. The first one is the turn's own close. */
  readonly stopTokenIds: readonly number[];
  /**
   * What a bridge does with earlier turns' thinking, in a conversation without tools; `"template"`: the template rewrites
   * history, no bridge is possible.
   */
  readonly thinkingRetention: TemplateRetention;
  /**
   * What a template's renders prove about bridges; null for a family, whose bridges are written with it, and with
   * `certificate: "off"`. It is made when it is first asked for.
   */
  readonly bridgeCertificate: BridgeCertificate | null;
  /** No later message changes what has been rendered. */
  readonly isPrefixStable: boolean;
  /** Where the chat template is from that the renderer runs; null for a family, which writes its format itself. */
  readonly templateSource: TemplateSource | null;
  /** How responses are written, as data: markers, stops, and what `spell`s them. The parsers are made of it. */
  readonly grammar: ResponseGrammar;
  /** What was found out about that template's responses; null for a family, and where parsers are named instead. */
  readonly analysis: TemplateAnalysis | null;
  /**
   * Placeholder id → type as trainers' `mm_token_type_ids` have it (1 image, 2 video), the map of `mmTokenTypeIds`; null where
   * the format takes no images.
   */
  readonly mmTokenTypes: ReadonlyMap<number, number> | null;
  /**
   * Messages to ids, with the columns of masks and message indices.
   *
   * @throws TitoError `empty_messages`, `invalid_message`, `unknown_role`, `orphan_tool_result`, `invalid_arguments`, `invalid_tool`
   */
  render(messages: readonly Message[], options?: RenderOptions): RenderedTokens;
  /** The ids of `render` alone, which is faster. */
  renderIds(messages: readonly Message[], options?: RenderOptions): Int32Array;
  /** Reads sampled ids. Never throws on ids: what is malformed has a status and keeps its raw text. */
  parseResponse(ids: Ids, options: ParseOptions): ParsedResponse;
  /** `parseResponse` with the place of each call, to the byte: what `ToolCallStore.record` stores is made of it. */
  locateCalls(ids: Ids, options: ParseOptions): LocatedCalls;
  /** The same as a stream; `state` goes on from where another parser stood. */
  parser(options: ParseOptions & { readonly state?: ParserState | undefined }): TokenParser;
  /** The ids that lead from prompt + completion to the next prompt, or a refusal with its reason. */
  bridgeToNextTurn(request: BridgeRequest): BridgeResult;
}

export interface BindOptions {
  /** Says how many tokens the model has for an image. Default: the family's own rule, where it is published. */
  readonly imageProcessor?: ImageProcessor | undefined;
}

/** The one implementation of `Renderer`: what differs between families is in the format. */
export function bindRenderer(
  tokenizer: Tokenizer,
  config: RendererConfig,
  format: WireFormat,
  options: BindOptions = {},
): Renderer {
  const parsers = parserFactory(format.grammar, tokenizer);
  const processor = options.imageProcessor ?? format.images?.processor;
  const cache = createImageCache("imageCacheMax" in config ? (config.imageCacheMax as number) : 0);
  const resolver = (store: ImageStore | undefined) => imageResolver({ processor, store, cache });

  function spansOf(
    messages: readonly Message[],
    { tools, addGenerationPrompt, orphanResults = false, continueFinalMessage = false, images }: RenderOptions,
  ) {
    if (continueFinalMessage) checkContinues(config.name, format, addGenerationPrompt === true);
    checkMessages(messages, { validate: config.validate, tools, continuing: orphanResults });
    if (config.validate === "strict") checkRoles(format, messages);
    checkMedia(config.name, format, messages, config.validate);
    const conversation = normalise(messages, { tools });
    const context: WriteContext = {
      images: resolver(images),
      imagesBefore: 0,
      closedBy: undefined,
      response: undefined,
      generates: addGenerationPrompt === true,
      continuesFinal: continueFinalMessage,
    };
    const out = new SpanWriter({ contentSpecials: config.contentSpecials, ordinaryText: format.ordinaryText });
    format.writeOpening(out, conversation, context);
    format.writeMessages(out, conversation, context);
    if (addGenerationPrompt) format.writeGenerationPrompt(out.at(-1), conversation, context);
    return { conversation, spans: out.spans };
  }

  const replayer = lazy(() => bindReplayer(tokenizer, format, () => rendererIdentity({ config, tokenizer })));

  function replayed(messages: readonly Message[], replay: ReplaySource | ReplayOptions, options: RenderOptions) {
    const write = (known: readonly Message[]) => spansOf(known, options);
    if (options.tools) checkTools(options.tools, { validate: config.validate });
    return replayer().render(messages, replay, knownTools(options.tools), write);
  }

  const parser: Renderer["parser"] = ({ prompt, tools, state }) => parsers({ prompt, tools: knownTools(tools), state });

  return {
    config,
    tokenizer,
    stopTokenIds: format.grammar.stops,
    get thinkingRetention() {
      return config.thinkingRetention ?? format.provenBridge?.retention({ tools: false }) ?? effectiveRetention(config);
    },
    get bridgeCertificate() {
      return format.provenBridge?.certificate ?? null;
    },
    isPrefixStable: format.isPrefixStable,
    templateSource: format.templateSource ?? null,
    grammar: format.grammar,
    analysis: format.analysis ?? null,
    mmTokenTypes: format.images ? tokenTypes(format.images) : null,
    render(messages, options = {}) {
      if (options.replay) return replayed(messages, options.replay, options);
      const { conversation, spans } = spansOf(messages, options);
      return renderedTokens(spans, conversation, tokenizer);
    },
    renderIds(messages, options = {}) {
      if (options.replay) return replayed(messages, options.replay, options).tokenIds;
      return encodeSpanIds(spansOf(messages, options).spans, tokenizer);
    },
    locateCalls: (ids, { prompt, tools }) => replayer().locate(ids, { prompt, tools: knownTools(tools) }),
    parser,
    parseResponse(ids, options) {
      const reading = parser(options);
      reading.push(ids);
      return reading.end().response;
    },
    bridgeToNextTurn(request) {
      const { contentSpecials, validate } = config;
      const retention = (about: { readonly tools: boolean }) => effectiveRetention(config, about);
      checkMedia(config.name, format, request.newMessages, validate);
      return bridgeToNextTurn({ tokenizer, format, parsers, retention, resolver, contentSpecials, validate }, request);
    },
  };
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function tokenTypes({ placeholder, videoPlaceholder }: ImageFormat): ReadonlyMap<number, number> {
  const video = videoPlaceholder === undefined ? [] : [[videoPlaceholder, 2] as const];
  return new Map([[placeholder, 1], ...video]);
}

function knownTools(tools: readonly ToolSpec[] | null | undefined): ReadonlyMap<string, KnownTool> | null {
  if (!tools) return null;
  return new Map(
    tools.map((tool) => [toolName(tool), { name: toolName(tool), parameters: toolFunction(tool).parameters }]),
  );
}

function checkContinues(family: string, format: WireFormat, generates: boolean): void {
  if (format.continuesFinal && !generates) return;
  const fact = generates
    ? "a message cannot go on and a new one begin (addGenerationPrompt)"
    : `the ${family} renderer cannot leave a message open`;
  throw new TitoError(
    "invalid_config",
    `continueFinalMessage: ${fact}. Leave one of them out${generates ? "" : ', or use { name: "default" }'}.`,
    { details: { field: "continueFinalMessage", family } },
  );
}

function checkRoles(format: WireFormat, messages: readonly Message[]): void {
  messages.forEach(({ role }, index) => {
    if (format.roles.includes(role)) return;
    throw new TitoError(
      "unknown_role",
      `messages[${index}].role: this family renders ${format.roles.join(", ")}, found "${role}". ` +
        'Use one of these, or set validate: "template" to do what the template does.',
      { details: { message: index, field: "role", expected: format.roles, actual: role } },
    );
  });
}
