import type { TemplateAnalysis } from "../autoparser/analyze.ts";
import type { Hypothesis } from "../autoparser/findings/hypothesis.ts";
import type { LayoutOverrides } from "../autoparser/findings/overrides.ts";
import type { GrammarTrigger } from "../autoparser/grammar/index.ts";
import type { ResponseTextParser, ResponseTextState } from "../autoparser/readers.ts";
import type { JsonInput, Message, ToolSpec, Validation } from "../messages/index.ts";
import type { LayoutBeginning, ParserState, ResponseLayout, TokenParser } from "../parse/index.ts";
import type { TemplateCapabilities } from "../template/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { WarningHandler } from "../warnings.ts";

/** One request: what is said, what may be called, and how the answer is to be read. */
export interface ApplyRequest {
  /** Jinja source. Default: the tokenizer's own, the one for tools where there are tools. */
  readonly template?: string | undefined;
  /** With a tokenizer there are ids, and a parser of ids; without one, text only. */
  readonly tokenizer?: Tokenizer | undefined;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** Default `auto`. `none`: the template tells the model of the tools, but no call is read. */
  readonly toolChoice?: RequestToolChoice | undefined;
  /** Several calls in one response. Default: what the template writes. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Sets the variables by which templates switch thinking. Default: they are not set. */
  readonly enableThinking?: boolean | undefined;
  /** `none`: reasoning stays in the content, with its markers. Default `auto`. */
  readonly reasoningFormat?: "auto" | "none" | undefined;
  /** Behind free reasoning the content is JSON. Not beside tools, except with `toolChoice: "none"`. */
  readonly responseFormat?: RequestResponseFormat | undefined;
  /** The model goes on in the last message, an assistant's. Default false. */
  readonly continueFinalMessage?: boolean | undefined;
  /** Default true, except with `continueFinalMessage`. */
  readonly addGenerationPrompt?: boolean | undefined;
  /** The template's own variables; they win over `enableThinking`. */
  readonly templateKwargs?: Readonly<Record<string, unknown>> | undefined;
  /**
   * `generic`: tools are described in a system message and called in a format that is declared there, whatever the template
   * has. Default `template`.
   */
  readonly toolFormat?: "template" | "generic" | undefined;
  /** The time that the template prints. Default: now. */
  readonly now?: Date | undefined;
  /** Findings about the template that are known better. */
  readonly overrides?: LayoutOverrides | undefined;
  readonly hypotheses?: readonly Hypothesis[] | undefined;
  /** Special tokens by the names under which templates see them, where there is no tokenizer. */
  readonly specialTokens?: ReadonlyMap<string, string> | undefined;
  /** Default `strict`. */
  readonly validate?: Validation | undefined;
  readonly onWarning?: WarningHandler | undefined;
}

export type RequestToolChoice =
  | "auto"
  | "required"
  | "none"
  | { readonly name: string }
  | { readonly type: "function"; readonly function: { readonly name: string } };

export type RequestResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly schema: JsonInput };

/**
 * What reads the response, in the names that llama.cpp has for it. For diagnosis; whether a template has tools is said by its
 * capabilities.
 * - `Content-only`: all is content
 * - `peg-simple`: reasoning and content
 * - `peg-native`: calls, too
 * - `peg-gemma4`: calls whose strings have quotes of their own
 */
export type ChatFormat = "Content-only" | "peg-simple" | "peg-native" | "peg-gemma4";

/** All that a request needs on its way to a model and back. Plain data but for the two parsers. */
export interface AppliedTemplate {
  /** The prompt's text. */
  readonly prompt: string;
  /** The prompt's ids, as the default renderer encodes them; null without a tokenizer. */
  readonly promptIds: Int32Array | null;
  /** The end of the prompt with which the assistant's turn begins; empty where the template adds nothing to a prompt. */
  readonly generationPrompt: string;
  /** What the prompt has written behind the text that opens the turn (`"<think>\n"`). */
  readonly opened: string;
  /** Where the response begins. */
  readonly beginning: LayoutBeginning;
  /** What the last message said so far, where the model goes on in it; else null. Not part of the response. */
  readonly continued: { readonly content: string; readonly reasoning: string | null } | null;
  /**
   * A parser of the completion's ids. `state`: goes on from there.
   *
   * @throws TitoError `invalid_request` without a tokenizer
   */
  parser(options?: { readonly state?: ParserState | undefined }): TokenParser;
  /**
   * A parser of the completion's text. `whole`: the response is the whole message, with what it said before the model went on
   * in it.
   */
  textParser(options?: {
    readonly state?: ResponseTextState | undefined;
    readonly whole?: boolean | undefined;
  }): ResponseTextParser;
  /** GBNF, root rule `root`; null: nothing is held. */
  readonly grammar: string | null;
  /** The grammar holds from a trigger on, the trigger included; else from the response's first character. */
  readonly lazy: boolean;
  readonly triggers: readonly GrammarTrigger[];
  /** Markers that have to stay tokens of their own. */
  readonly preservedTokens: readonly string[];
  /** Texts that end a turn. */
  readonly stops: readonly string[];
  /** Ids that end a turn; empty without a tokenizer. */
  readonly stopTokenIds: readonly number[];
  readonly supportsThinking: boolean;
  /** The texts around reasoning, white space taken off; null: the model has none. An empty start: none is written. */
  readonly thinking: { readonly start: string; readonly ends: readonly string[] } | null;
  readonly chatFormat: ChatFormat;
  readonly capabilities: TemplateCapabilities;
  readonly toolFormat: "template" | "generic";
  /** How the response of this request is read: without calls where none are. */
  readonly layout: ResponseLayout;
  readonly analysis: TemplateAnalysis;
}
