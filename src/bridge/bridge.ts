import type { TemplateRetention } from "../configs/index.ts";
import {
  type BridgeRefusalReason,
  type ProvenExtension,
  renderedTokens,
  type TurnEnd,
  type WireFormat,
  type WriteContext,
} from "../format/index.ts";
import type { ImageResolver, ImageStore } from "../images/index.ts";
import { type Conversation, checkMessages, type Message, normalise, type Validation } from "../messages/index.ts";
import type { ParsedResponse, ParserFactory } from "../parse/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import { type ContentSpecials, encodeSpanIds, SpanWriter } from "../tokens/index.ts";
import { scanTurn } from "./scanTurn.ts";
import type { BridgeRequest, BridgeResult } from "./types.ts";

export interface BridgeContext {
  readonly tokenizer: Tokenizer;
  readonly format: WireFormat;
  readonly parsers: ParserFactory;
  /** What becomes of earlier thinking in a conversation with or without tools. */
  retention(request: { readonly tools: boolean }): TemplateRetention;
  resolver(store: ImageStore | undefined): ImageResolver;
  readonly contentSpecials: ContentSpecials;
  readonly validate: Validation;
}

/**
 * Extends prompt + completion to the next turn's prompt by what is new, or says why that cannot be proven right.
 *
 * @throws TitoError for messages that no conversation should hold, as `render` does
 */
export function bridgeToNextTurn(context: BridgeContext, request: BridgeRequest): BridgeResult {
  const { format } = context;
  const { promptIds, completionIds, newMessages } = request;
  if (promptIds.length === 0) return refuse("empty_prompt", "The prompt has no ids; render the conversation instead.");
  if (newMessages.length === 0) return refuse("no_new_messages", "There is nothing to add to the conversation.");
  const misfit = refusedRole(context, newMessages);
  if (misfit) return misfit;
  checkMessages(newMessages, { validate: context.validate, tools: request.tools, continuing: true });
  const conversation = normalise(newMessages, { tools: request.tools, continues: true });

  const end = scanTurn({ ...context, grammar: format.grammar, promptIds, completionIds });
  if (end.stop !== null && end.reasoningOpen) {
    return refuse(
      "unclosed_reasoning",
      "The model ended its turn inside its reasoning; no format has that in its history.",
    );
  }
  if (format.provenBridge) return bridgeByProof(context, request, conversation, end);
  const retention = context.retention({ tools: (request.tools?.length ?? 0) > 0 });
  if (retention === "template") {
    return refuse(
      "template_rewrites_history",
      "This model's template changes earlier turns: render the conversation anew.",
    );
  }
  if (retention === "tool_cycle") {
    const query = conversation.messages.findIndex((message) => format.startsQuery(message));
    if (query >= 0) {
      return refuse(
        "new_user_query",
        `New message ${query} is a user query, and this format drops earlier thinking there. Render the conversation anew, ` +
          'or set thinkingRetention: "all" to keep the history as it was sampled.',
      );
    }
  }
  const separator = separatorLeft(context, completionIds, end);
  if (separator === null) {
    return refuse(
      "tokens_after_stop",
      `The completion goes on for ${completionIds.length - (end.stop ?? 0) - 1} ids after its stop at ${end.stop}; cut it there before bridging.`,
    );
  }
  const writing = writeContext(context, request, end);
  const objection = format.refuse?.({ conversation, end, promptIds, completionIds, context: writing });
  if (objection) return refuse(objection.reason, objection.message);
  const close = writeClose(context, end, completionIds.at(-1) ?? promptIds.at(-1));
  return { ok: true, ...writeExtension(context, conversation, writing, close, separator) };
}

function writeContext(context: BridgeContext, request: BridgeRequest, { stop }: TurnEnd): WriteContext {
  return {
    images: context.resolver(request.images),
    imagesBefore: request.multimodal === undefined ? null : (request.multimodal?.images.length ?? 0),
    closedBy: stop === null ? context.format.turn.close : request.completionIds[stop],
    response: reader(context, request),
    generates: true,
    continuesFinal: false,
  };
}

/** A format that a template writes proves the whole extension. */
function bridgeByProof(
  context: BridgeContext,
  request: BridgeRequest,
  conversation: Conversation,
  end: TurnEnd,
): BridgeResult {
  const { promptIds, completionIds } = request;
  const view = { conversation, end, promptIds, completionIds, context: writeContext(context, request, end) };
  const found = context.format.provenBridge!.extend(view);
  if (!("ok" in found)) return refuse(found.reason, found.message);
  return { ok: true, ...encodeProven(found, conversation, context.tokenizer) };
}

/** The token in front is encoded with what follows it, and left out. */
function encodeProven({ behind, closing, spans }: ProvenExtension, conversation: Conversation, tokenizer: Tokenizer) {
  const out = new SpanWriter({ contentSpecials: "template" }).scaffold(behind);
  const lead = encodeSpanIds(out.spans, tokenizer).length;
  const close = encodeSpanIds([...out.spans, ...closing], tokenizer).length - lead;
  const rendered = renderedTokens([...out.spans, ...closing, ...spans], conversation, tokenizer);
  return {
    extension: {
      ...rendered,
      tokenIds: rendered.tokenIds.slice(lead),
      messageIndices: rendered.messageIndices.slice(lead),
      sampledMask: rendered.sampledMask.slice(lead),
      contentMask: rendered.contentMask.slice(lead),
    },
    synthetic: close > 0 ? ([0, close] as const) : null,
  };
}

function reader({ parsers }: BridgeContext, { promptIds, completionIds }: BridgeRequest): () => ParsedResponse {
  let read: ParsedResponse | undefined;
  return () => {
    if (read) return read;
    const parser = parsers({ prompt: promptIds, tools: null });
    parser.push(completionIds);
    read = parser.end().response;
    return read;
  };
}

function refuse(reason: BridgeRefusalReason, message: string): BridgeResult & { ok: false } {
  return { ok: false, reason, message };
}

function refusedRole(
  { format, validate }: BridgeContext,
  messages: readonly Message[],
): (BridgeResult & { ok: false }) | undefined {
  const takesAll = format.otherRoles === true && validate === "template";
  for (const [index, { role }] of messages.entries()) {
    if (role === "assistant") {
      return refuse(
        "assistant_in_new_messages",
        `New message ${index} is an assistant's: what a model said is known only by its ids.`,
      );
    }
    if (!takesAll && !format.roles.includes(role)) {
      return refuse(
        "role_not_rendered",
        `New message ${index} has the role "${role}", which this format does not render (${format.roles.join(", ")}).`,
      );
    }
  }
  return undefined;
}

/** The text that still has to stand between the turn and the next message; null when other ids follow the stop. */
function separatorLeft({ tokenizer, format }: BridgeContext, completionIds: Ids, { stop }: TurnEnd): string | null {
  const { turn } = format;
  if (stop === null) return turn.separatorAfterClose ?? turn.separator;
  const separator = turn.separatorAfterStop?.(completionIds[stop]) ?? turn.separator;
  if (stop === completionIds.length - 1) return separator;
  // Engines that return the text after the stop token too return the format's own separator.
  return tokenizer.decode(completionIds.slice(stop + 1)) === separator ? "" : null;
}

/** What the model left open after a truncation. */
function writeClose(context: BridgeContext, end: TurnEnd, lastId: number | undefined): SpanWriter {
  const { format, tokenizer } = context;
  const out = new SpanWriter({ contentSpecials: context.contentSpecials, ordinaryText: format.ordinaryText });
  if (end.stop !== null) return out;
  if (format.turn.writeClose) {
    format.turn.writeClose(out, end);
    return out;
  }
  const reasoning = format.grammar.kind === "tagged" ? format.grammar.reasoning : null;
  if (end.reasoningOpen && reasoning) {
    // Padding that the model has already written is not written twice.
    const { padding, closing = padding, close, separator } = reasoning;
    const padded = lastId !== undefined && tokenizer.decode([lastId]).endsWith(closing);
    out.scaffold(`${padded ? "" : closing}${close.text}${separator}`);
  }
  return out.token(format.turn.close);
}

function writeExtension(
  context: BridgeContext,
  conversation: Conversation,
  writing: WriteContext,
  close: SpanWriter,
  separator: string,
) {
  const { format, tokenizer } = context;
  const closing = encodeSpanIds(close.spans, tokenizer).length;
  const out = new SpanWriter({ contentSpecials: context.contentSpecials, ordinaryText: format.ordinaryText });
  out.spans.push(...close.spans);
  out.at(format.turn.separatorLeads ? 0 : -1).scaffold(separator);
  format.writeMessages(out, conversation, writing);
  format.writeGenerationPrompt(out.at(-1), conversation, writing);
  return {
    extension: renderedTokens(out.spans, conversation, tokenizer),
    synthetic: closing > 0 ? ([0, closing] as const) : null,
  };
}
