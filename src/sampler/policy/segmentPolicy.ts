import { toolChoiceOf } from "../../apply/checkRequest.ts";
import type { RequestResponseFormat, RequestToolChoice } from "../../apply/index.ts";
import type { LayoutGrammarOptions } from "../../autoparser/grammar/index.ts";
import type { ToolChoice } from "../../autoparser/grammar/types.ts";
import { TitoError } from "../../errors.ts";
import { type ToolSpec, toolName } from "../../messages/index.ts";
import {
  type CallsLayout,
  type PromptContext,
  promptBeginning,
  type ResponseGrammar,
  type ResponseLayout,
  responseLayout,
} from "../../parse/index.ts";
import type { Renderer } from "../../renderers/index.ts";
import type { GrammarOptions } from "../grammarOptions.ts";
import { callMarkers, reasoningMarkers } from "./callMarkers.ts";
import { checkSegmentPolicy } from "./checkSegmentPolicy.ts";
import { derivedGrammar } from "./derivedGrammar.ts";
import { payloadSyntax } from "./payloadSyntax.ts";
import type { GreedyScope, PayloadSyntax, ReasoningMarkers, SegmentPolicy, ToolCallMarkers } from "./types.ts";

export interface SegmentPolicyOptions {
  /** Ids of the prompt that the completion follows, or what that prompt opened. */
  readonly prompt: PromptContext;
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** Default `auto`. `none`: nothing is held, and nothing counts as a call. */
  readonly toolChoice?: RequestToolChoice | undefined;
  /** Default: what the format has. False: one call, and nothing behind it. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Behind free reasoning the content is JSON. Not beside tools, except with `toolChoice: "none"`. */
  readonly responseFormat?: RequestResponseFormat | undefined;
  /**
   * - `lazy`: each call is held from what surely begins it to its end, everything else is free; the default with
   *   `toolChoice: "auto"`
   * - `always`: free reasoning, then calls, from the first id on; the default with another choice. With `auto` a call is required
   * - `off`: nothing is held; the default without tools
   * - `json`: any JSON value, from the first id on
   * - a grammar of your own
   */
  readonly grammar?: "lazy" | "always" | "off" | "json" | GrammarOptions | undefined;
  /** Default `off`. */
  readonly greedy?: GreedyScope | undefined;
  /** These and the next two: in place of what is derived; null: none. */
  readonly toolCallMarkers?: ToolCallMarkers | null | undefined;
  readonly payload?: PayloadSyntax | null | undefined;
  readonly reasoning?: ReasoningMarkers | null | undefined;
  /** Hears of every part of a schema that the grammar does not enforce. */
  readonly onLoosened?: LayoutGrammarOptions["onLoosened"];
}

/**
 * How the parts of a completion are sampled that follows a prompt of this renderer: where its calls and its reasoning are, what in a
 * call is payload, and the grammar that holds it to the tools' schemas. All of it is known from the format of the family, or from
 * what was found out about its template. The result is data.
 *
 * @throws TitoError `tools_unsupported` where the format has no calls, or none that are known by a text, and these are asked for;
 * `tool_choice_unknown`; `invalid_request` for a response format beside tools; `schema_unsupported`; as `checkSegmentPolicy`
 * @example
 * const segments = segmentPolicy(renderer, { tools, prompt: promptIds, greedy: "syntax" });
 * await session.complete(promptIds, { segments, stop: renderer.stopTokenIds });
 */
export function segmentPolicy(renderer: Renderer, options: SegmentPolicyOptions): SegmentPolicy {
  const { tokenizer, grammar: format } = renderer;
  const { prompt, tools, greedy = "off", onLoosened } = options;
  const toolChoice = toolChoiceOf(options.toolChoice);
  const responseFormat = options.responseFormat?.type === "text" ? undefined : options.responseFormat;
  const hasTools = tools !== undefined && tools !== null && tools.length > 0 && toolChoice !== "none";
  if (hasTools && responseFormat !== undefined) throw contradiction();
  const chosen = chosenTools(tools ?? [], toolChoice);
  if (toolChoice !== "auto" && toolChoice !== "none" && chosen.length === 0) throw nothingToCall(toolChoice);

  const layout = responseLayout(format) ?? unknownLayout;
  const beginning = promptBeginning(format, prompt, tokenizer);
  const forms = callFormsOf(format, layout);
  const mode = options.grammar ?? defaultGrammar({ hasTools, toolChoice, responseFormat });
  const isDerived = mode === "lazy" || mode === "always";
  if (hasTools && isDerived && forms.length === 0) throw unsupported(renderer, "its format has no calls");

  const [calls] = hasTools ? forms : [];
  const found = calls ? callMarkers(layout, calls, { tokenizer, stop: callStop(renderer) }) : null;
  const { toolCallMarkers = found } = options;
  if (hasTools && greedy !== "off" && toolCallMarkers === null)
    throw unsupported(renderer, "no text surely begins its calls, so that greedy has nowhere to begin");

  const request = { parallel: options.parallelToolCalls, responseFormat, onLoosened };
  const held = { ...request, beginning, stops: stopTexts(renderer), specialTokens: tokenizer.addedTokens };
  const derived = (): GrammarOptions | null =>
    derivedGrammar(layout, forms, {
      ...held,
      tools: hasTools ? chosen : [],
      toolChoice: hasTools ? heldChoice(mode === "lazy", toolChoice) : "none",
    });
  const {
    payload = calls && toolCallMarkers ? payloadSyntax(calls, toolCallMarkers.start) : null,
    reasoning = reasoningMarkers(layout, { opened: beginning.in === "reasoning", tokenizer }),
  } = options;
  const grammar = isDerived ? derived() : mode === "off" ? null : mode;
  const policy: SegmentPolicy = { toolCallMarkers, payload, grammar, greedy, reasoning };
  checkSegmentPolicy(policy);
  return policy;
}

interface Request {
  readonly hasTools: boolean;
  readonly toolChoice: ToolChoice;
  readonly responseFormat: LayoutGrammarOptions["responseFormat"];
}

function defaultGrammar({ hasTools, toolChoice, responseFormat }: Request): "lazy" | "always" | "off" {
  if (responseFormat !== undefined) return "always";
  if (!hasTools) return "off";
  return toolChoice === "auto" ? "lazy" : "always";
}

/** The choice by which a grammar is lazy, or not. The tools are the chosen ones already. */
function heldChoice(isLazy: boolean, toolChoice: ToolChoice): ToolChoice {
  if (isLazy) return "auto";
  return toolChoice === "auto" ? "required" : toolChoice;
}

const chosenTools = (tools: readonly ToolSpec[], choice: ToolChoice): readonly ToolSpec[] =>
  typeof choice === "string" ? tools : tools.filter((tool) => toolName(tool) === choice.name);

/** A format of which nothing is known: all is content. */
const unknownLayout: ResponseLayout = {
  reasoning: null,
  content: { mode: "plain", open: "", close: "" },
  calls: null,
  end: "",
  glue: [],
};

function callFormsOf(format: ResponseGrammar, { calls }: ResponseLayout): readonly CallsLayout[] {
  const forms = format.kind === "framed" ? format.callForms : undefined;
  return forms ?? (calls ? [calls] : []);
}

const stopTexts = ({ stopTokenIds, tokenizer }: Renderer): readonly string[] =>
  stopTokenIds.map((id) => tokenizer.idToToken(id)).filter((text) => text !== undefined);

/** What ends a turn that ends with a call. */
function callStop({ grammar, tokenizer }: Renderer): string {
  const aCall = { content: "", reasoning: null, toolCalls: [{ name: "a", argumentsText: "{}", id: undefined }] };
  const stop = grammar.kind === "framed" ? grammar.stopOf?.(aCall) : undefined;
  return tokenizer.idToToken(stop ?? grammar.stops[0]) ?? "";
}

function unsupported({ config }: Renderer, fact: string): TitoError {
  return new TitoError(
    "tools_unsupported",
    `tools: a policy for ${JSON.stringify(config.name)} cannot be derived: ${fact}. Pass toolCallMarkers and a grammar of your ` +
      'own, or grammar: "off" and greedy: "off".',
    { details: { field: "tools", renderer: config.name } },
  );
}

function contradiction(): TitoError {
  return new TitoError(
    "invalid_request",
    'responseFormat: a response cannot be JSON and call tools. Leave the tools out, or set toolChoice: "none".',
    { details: { field: "responseFormat" } },
  );
}

function nothingToCall(toolChoice: unknown): TitoError {
  return new TitoError(
    "tool_choice_unknown",
    'toolChoice: a call is required, and there is no tool for it. Add the tool, or choose "auto".',
    { details: { field: "toolChoice", toolChoice } },
  );
}
