import { type BridgeRequest, type BridgeResult, bridgeToNextTurn } from "../bridge/index.ts";
import { effectiveRetention, type RendererConfig, type TemplateRetention } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { renderedTokens, type WireFormat } from "../format/index.ts";
import { checkMessages, type Message, normalise, type ToolSpec, toolName } from "../messages/index.ts";
import {
  beginsInReasoning,
  type KnownTool,
  markerTable,
  type ParsedResponse,
  type ParserState,
  type PromptContext,
  TokenParser,
} from "../parse/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import { encodeSpanIds, type RenderedTokens, SpanWriter } from "../tokens/index.ts";

export interface RenderOptions {
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** End with what opens the assistant's turn. Default false. */
  readonly addGenerationPrompt?: boolean | undefined;
  /**
   * Let tool results stand without their call, as they do in the history of a model whose call could not be parsed.
   * Default false: with `validate: "strict"` they are an error.
   */
  readonly orphanResults?: boolean | undefined;
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
  /** What a bridge does with earlier turns' thinking; `"template"`: the template rewrites history, no bridge is possible. */
  readonly thinkingRetention: TemplateRetention;
  /** No later message changes what has been rendered. */
  readonly isPrefixStable: boolean;
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
  /** The same as a stream; `state` goes on from where another parser stood. */
  parser(options: ParseOptions & { readonly state?: ParserState | undefined }): TokenParser;
  /** The ids that lead from prompt + completion to the next prompt, or a refusal with its reason. */
  bridgeToNextTurn(request: BridgeRequest): BridgeResult;
}

/** The one implementation of `Renderer`: what differs between families is in the format. */
export function bindRenderer(tokenizer: Tokenizer, config: RendererConfig, format: WireFormat): Renderer {
  const markers = markerTable(format.grammar, tokenizer.vocabSize);
  const thinkingRetention = effectiveRetention(config);

  function spansOf(messages: readonly Message[], { tools, addGenerationPrompt, orphanResults = false }: RenderOptions) {
    checkMessages(messages, { validate: config.validate, tools, continuing: orphanResults });
    if (config.validate === "strict") checkRoles(format, messages);
    const conversation = normalise(messages, { tools });
    const out = new SpanWriter(config);
    format.writeOpening(out, conversation);
    format.writeMessages(out, conversation);
    if (addGenerationPrompt) format.writeGenerationPrompt(out.at(-1));
    return { conversation, spans: out.spans };
  }

  const parser: Renderer["parser"] = ({ prompt, tools, state }) =>
    new TokenParser({
      grammar: format.grammar,
      markers,
      tokenizer,
      beginsInReasoning: beginsInReasoning(format.grammar, prompt),
      tools: knownTools(tools),
      state,
    });

  return {
    config,
    tokenizer,
    stopTokenIds: format.grammar.stops,
    thinkingRetention,
    isPrefixStable: format.isPrefixStable,
    render(messages, options = {}) {
      const { conversation, spans } = spansOf(messages, options);
      return renderedTokens(spans, conversation, tokenizer);
    },
    renderIds(messages, options = {}) {
      return encodeSpanIds(spansOf(messages, options).spans, tokenizer);
    },
    parser,
    parseResponse(ids, options) {
      const reading = parser(options);
      reading.push(ids);
      return reading.end().response;
    },
    bridgeToNextTurn(request) {
      const { contentSpecials, validate } = config;
      return bridgeToNextTurn({ tokenizer, format, markers, thinkingRetention, contentSpecials, validate }, request);
    },
  };
}

function knownTools(tools: readonly ToolSpec[] | null | undefined): ReadonlyMap<string, KnownTool> | null {
  return tools ? new Map(tools.map((tool) => [toolName(tool), { name: toolName(tool) }])) : null;
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
