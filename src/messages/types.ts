import type { JsonInput } from "./json/index.ts";

/** Roles of the OpenAI chat shape. Which of them a family renders is the family's business. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingPart {
  readonly type: "thinking";
  readonly thinking: string;
}

/** A part that this version of the types does not name (images, audio …); families that know it read it. */
export interface OtherPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type ContentPart = TextPart | ThinkingPart | OtherPart;

export type Content = string | readonly ContentPart[] | null;

/** A call in an assistant message: the OpenAI envelope, or its `function` alone. */
export interface ToolCall {
  readonly id?: string | null;
  readonly type?: "function";
  readonly function?: ToolCallFunction;
  readonly name?: string;
  readonly arguments?: ToolArguments;
}

export interface ToolCallFunction {
  readonly name: string;
  readonly arguments: ToolArguments;
}

/** JSON text (kept to the letter), or a value. Values from `parseJson` keep number text, key order and big integers. */
export type ToolArguments = string | JsonInput;

/** A message as a user hands it in: the OpenAI chat shape, wire names kept. */
export interface Message {
  readonly role: Role | (string & {});
  readonly content?: Content;
  readonly reasoning_content?: string | null;
  /** Another name in use for `reasoning_content`. */
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string | null;
  readonly name?: string | null;
}

/** A tool: the OpenAI envelope, or its `function` alone. Families print it as their template does. */
export type ToolSpec = ToolEnvelope | ToolFunction;

export interface ToolEnvelope {
  readonly type: "function";
  readonly function: ToolFunction;
}

export interface ToolFunction {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema, as a value or as JSON text. */
  readonly parameters?: JsonInput;
  readonly [field: string]: unknown;
}

/** `strict` refuses what no conversation should hold; `template` only what could not be rendered at all. */
export type Validation = "strict" | "template";
