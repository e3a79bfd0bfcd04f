import type { JsonInput, ToolSpec } from "../../messages/index.ts";
import type { LayoutBeginning } from "../../parse/layout/layout.ts";

export interface LayoutGrammarOptions {
  readonly tools: readonly ToolSpec[];
  /** Default `auto`: the model is free until it begins a call. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Several calls in one response. Default: what the layout has; a layout without them never has them. */
  readonly parallel?: boolean | undefined;
  /**
   * How far a lazy grammar goes: to the end of the `response` (default), or of one `call`; where a section is around the calls of a
   * response, of that. Behind it the model is free, until a trigger comes again.
   */
  readonly extent?: "response" | "call" | undefined;
  /** Content is JSON of this schema, behind reasoning. No calls then. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** Where the response begins. */
  readonly beginning: LayoutBeginning;
  /** Texts of what ends a turn: none of them says that a call begins. */
  readonly stops?: readonly string[] | undefined;
  /** The tokenizer's added tokens: a trigger that is one of them is a trigger by id. */
  readonly specialTokens?: readonly { readonly id: number; readonly content: string }[] | undefined;
  /** Hears of every part of a schema that the grammar does not enforce: JSON pointer into the tool's parameters. */
  readonly onLoosened?:
    | ((loosened: { readonly tool: string; readonly pointer: string; readonly message: string }) => void)
    | undefined;
}

export type ToolChoice = "auto" | "required" | "none" | { readonly name: string };

export type ResponseFormat =
  | { readonly type: "json_schema"; readonly schema: JsonInput }
  | { readonly type: "json_object" };

/** A grammar for a response, or for what follows from a trigger on. */
export interface ToolGrammar {
  /** GBNF text. */
  readonly gbnf: string;
  readonly root: "root";
  /** The grammar holds from a trigger on, the trigger included; else from the response's start. */
  readonly lazy: boolean;
  readonly triggers: readonly GrammarTrigger[];
  /** Markers that have to be tokens of their own, also where special tokens are left out. */
  readonly preservedTokens: readonly string[];
}

export type GrammarTrigger =
  /** `atStart`: counts at the response's start only (behind reasoning). */
  | { readonly kind: "word"; readonly text: string; readonly atStart?: boolean | undefined }
  | { readonly kind: "token"; readonly id: number; readonly text: string };
