import type { TemplateAnalysis } from "../autoparser/analyze.ts";
import type { BridgeCertificate } from "../bridge/certificate/types.ts";
import type { FamilyConfig, RetentionRequest, TemplateRetention } from "../configs/index.ts";
import type { ImageProcessor, ImageResolver } from "../images/index.ts";
import type { Conversation, ConversationMessage } from "../messages/index.ts";
import type { FramedPart, ParsedResponse, ResponseGrammar } from "../parse/index.ts";
import type { TemplateSource } from "../template/sources/types.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import type { Span, SpanWriter } from "../tokens/index.ts";
import type { BridgeRefusalReason } from "./refusal.ts";

/**
 * One model family's wire format, as a value. The shared code renders, parses and bridges by these properties alone and
 * never asks which family it has.
 */
export interface Family<Config> {
  readonly config: FamilyConfig;
  /** Binds the format to a tokenizer and a config. Throws `token_missing` when the vocabulary lacks one of its markers. */
  bind(tokenizer: Tokenizer, config: Config): WireFormat;
}

export interface WireFormat {
  /** Roles that the format has a place for. */
  readonly roles: readonly string[];
  /** Every other role has a turn of its own, too, with `validate: "template"`; a bridge writes it then. Default false. */
  readonly otherRoles?: boolean | undefined;
  readonly grammar: ResponseGrammar;
  readonly turn: TurnFraming;
  /** What stands before the first message: begin-of-text, the system block, tools. */
  writeOpening(out: SpanWriter, conversation: Conversation, context: WriteContext): void;
  /** The messages; a conversation that `continues` follows an assistant's turn whose ids are not known as text. */
  writeMessages(out: SpanWriter, conversation: Conversation, context: WriteContext): void;
  writeGenerationPrompt(out: SpanWriter, conversation: Conversation, context: WriteContext): void;
  /** Does this message start a new user query? Render and bridge both learn from it which thinking the format drops. */
  startsQuery(message: ConversationMessage): boolean;
  /** No later message changes what has been rendered. */
  readonly isPrefixStable: boolean;
  /** Set by formats that take images. */
  readonly images?: ImageFormat | undefined;
  /**
   * The model's own encoder takes all text to the letter: control tokens are written by id alone, and text never turns into
   * one, whatever `contentSpecials` says. Default false.
   */
  readonly ordinaryText?: boolean;
  /** Where the chat template is from, for a format that runs one. */
  readonly templateSource?: TemplateSource;
  /** What was found out about the chat template that the format runs. */
  readonly analysis?: TemplateAnalysis;
  /** The last assistant message can be left open (`continueFinalMessage`). Default false. */
  readonly continuesFinal?: boolean;
  /** What this format alone cannot bridge. */
  refuse?(view: BridgeView): BridgeObjection | null;
  /** Set by a format whose turns are not known by their parts: what it can bridge is proven by renders. */
  readonly provenBridge?: ProvenBridge;
}

/** Bridges of a format that a template writes. */
export interface ProvenBridge {
  /** What the renders show; it is made when it is first asked for. */
  readonly certificate: BridgeCertificate;
  /** What becomes of earlier thinking, where the config does not say it. */
  retention(request: RetentionRequest): TemplateRetention;
  /** All that follows the completion, or why that cannot be proven right. */
  extend(view: BridgeView): BridgeObjection | ProvenExtension;
}

/** What a bridge adds, its messages counted from the first new one. */
export interface ProvenExtension {
  readonly ok: true;
  /** The control token that the completion ends with, because a tokenizer may read text behind it otherwise; "": none. */
  readonly behind: string;
  /** What closes a turn that was cut short. */
  readonly closing: readonly Span[];
  readonly spans: readonly Span[];
}

export interface ImageFormat {
  /** The placeholder that stands for an image, as often as the image needs. */
  readonly placeholder: number;
  /** The one that stands for a video, where the model's vocabulary has one: trainers tell the two apart. */
  readonly videoPlaceholder?: number | undefined;
  /** The family's own rule; undefined where none is published: then the user passes a processor. */
  readonly processor: ImageProcessor | undefined;
}

/** What writing may depend on beside the conversation. */
export interface WriteContext {
  readonly images: ImageResolver;
  /** How many images the history before a bridge holds; null if that is not known, 0 in a whole conversation. */
  readonly imagesBefore: number | null;
  /** The token that closed the assistant's turn before a bridge, sampled or synthesised; undefined in a whole conversation. */
  readonly closedBy: number | undefined;
  /** The response before a bridge, read when it is first asked for; undefined in a whole conversation. */
  readonly response: (() => ParsedResponse) | undefined;
  /** A generation prompt follows the messages. */
  readonly generates: boolean;
  /** The last message stays open: the model goes on in it. Only formats with `continuesFinal` are asked for that. */
  readonly continuesFinal: boolean;
}

/** How a turn closes, for the bridge. */
export interface TurnFraming {
  /** The token that closes the assistant's turn. */
  readonly close: number;
  /** Text between a closed turn and the next message. */
  readonly separator: string;
  /** The same behind another stop than `close`, where it is another text. */
  separatorAfterStop?(stop: number): string;
  /** The same behind a close that a bridge has written itself. Default: `separator`. */
  readonly separatorAfterClose?: string | undefined;
  /** The separator belongs to the message that follows it. Default false: to none. */
  readonly separatorLeads?: boolean | undefined;
  /** Closes a turn that was cut short, where that is more than the end of open reasoning and `close`. */
  writeClose?(out: SpanWriter, end: TurnEnd): void;
}

/** How a sampled turn ends, as far as a bridge needs to know. */
export interface TurnEnd {
  /** Index of the first stop in the completion; null after a truncation. */
  readonly stop: number | null;
  readonly reasoningOpen: boolean;
  /** The message that a truncation left open, in formats of several messages; null if it is closed, or if there are none. */
  readonly openMessage?: OpenMessage | null;
}

export interface OpenMessage {
  readonly header: string;
  /** What the body is; null if the header has no body yet. */
  readonly part: FramedPart | null;
}

/** A bridge as a family sees it. */
export interface BridgeView {
  readonly conversation: Conversation;
  readonly end: TurnEnd;
  readonly promptIds: Ids;
  readonly completionIds: Ids;
  readonly context: WriteContext;
}

export interface BridgeObjection {
  readonly reason: BridgeRefusalReason;
  readonly message: string;
}
