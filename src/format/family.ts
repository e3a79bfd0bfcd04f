import type { FamilyConfig } from "../configs/index.ts";
import type { Conversation, ConversationMessage } from "../messages/index.ts";
import type { ResponseGrammar } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { SpanWriter } from "../tokens/index.ts";

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
  readonly grammar: ResponseGrammar;
  readonly turn: TurnFraming;
  /** What stands before the first message: begin-of-text, the system block, tools. */
  writeOpening(out: SpanWriter, conversation: Conversation): void;
  /** The messages; a conversation that `continues` follows an assistant's turn whose ids are not known as text. */
  writeMessages(out: SpanWriter, conversation: Conversation): void;
  writeGenerationPrompt(out: SpanWriter): void;
  /** Does this message start a new user query? Render and bridge both learn from it which thinking the format drops. */
  startsQuery(message: ConversationMessage): boolean;
  /** No later message changes what has been rendered. */
  readonly isPrefixStable: boolean;
}

/** How a turn closes, for the bridge. */
export interface TurnFraming {
  /** The token that closes the assistant's turn. */
  readonly close: number;
  /** Text between a closed turn and the next message. */
  readonly separator: string;
}
