import type { CallGrammar, CallList, ReasoningGrammar, ResponseGrammar, SpokenCall } from "../../parse/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";

/** What a parser's factory may build on. */
export interface ParserContext {
  readonly tokenizer: Tokenizer;
  /** The name under which the parser was asked for. */
  readonly name: string;
  /** Ids that end the turn; at least one. */
  readonly stops: readonly number[];
}

/** How tool calls stand in a response, and how they are written. */
export type ToolFormat = CallsFormat | ResponseFormat;

/** Calls behind the content. Any reasoning parser can stand before it. */
export interface CallsFormat {
  readonly kind: "calls";
  /** Null for lists without markers. */
  readonly calls: CallGrammar | null;
  /** Set where several calls stand in one block. */
  readonly list?: CallList | undefined;
  /** The text of the calls, with what stands between them and the content; `""` if there are none. */
  write(calls: readonly SpokenCall[], place: { readonly afterContent: boolean }): string;
}

/** A format of the whole response, reasoning included. No reasoning parser goes with it. */
export interface ResponseFormat {
  readonly kind: "response";
  readonly grammar: ResponseGrammar;
}

/**
 * Makes a tool parser for a tokenizer; called once per renderer. `tito-rl/family` exports what it is written with: `markers`
 * and `textMarker` look markers up, `jsonCallBody` and `readTaggedCall` read a call's body.
 *
 * @throws TitoError `token_missing` where the vocabulary lacks a token that the format cannot be read without
 */
export type ToolParserFactory = (context: ParserContext) => ToolFormat;

/** Makes a reasoning parser for a tokenizer; null: nothing is reasoning. The rest is as for `ToolParserFactory`. */
export type ReasoningParserFactory = (context: ParserContext) => ReasoningGrammar | null;
