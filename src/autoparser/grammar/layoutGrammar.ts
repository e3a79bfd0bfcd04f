import { TitoError } from "../../errors.ts";
import { alternatives, empty, type GbnfExpression, literal, optional, printGbnf, sequence } from "../../gbnf/index.ts";
import { type ToolFunction, toolFunction } from "../../messages/index.ts";
import type { CallsLayout, ResponseLayout } from "../../parse/layout/layout.ts";
import { leadRule, reasoningRule } from "./beforeCalls.ts";
import { callsRule, responseEnd } from "./callsRule.ts";
import { type GrammarContext, looseText, newContext, schemaValue } from "./grammarContext.ts";
import { callTriggers, preservedTokens } from "./triggers.ts";
import type { LayoutGrammarOptions, ResponseFormat, ToolGrammar } from "./types.ts";

/**
 * The grammar that holds a response to a layout and to the tools' schemas: from the first call on (`auto`), or from the
 * start (`required`, a name, a response format). Null where there is nothing to hold: no tools, no schema, or a layout
 * without calls that need not be made.
 *
 * @throws TitoError `tool_choice_unknown` for a choice that cannot be kept; `schema_unsupported` for a schema that is none.
 * @example
 * const grammar = layoutGrammar(layout, { tools, beginning: { in: "start", closed: false } });
 * grammar?.triggers; // [{ kind: "word", text: "<tool_call>" }]
 */
export function layoutGrammar(layout: ResponseLayout, options: LayoutGrammarOptions): ToolGrammar | null {
  const { responseFormat, stops = [], specialTokens } = options;
  const preserved = preservedTokens(layout, stops, specialTokens);
  const made = (context: GrammarContext, root: GbnfExpression, lazy: boolean, triggers: ToolGrammar["triggers"]) => {
    context.python.finish();
    context.eitherWords.finish();
    const gbnf = printGbnf(context.builder.build(root));
    return { gbnf, root: "root", lazy, triggers, preservedTokens: preserved } as const;
  };
  if (responseFormat !== undefined) {
    const context = newContext(options);
    return made(context, formattedResponse(context, layout, responseFormat, options), false, []);
  }
  const tools = chosenTools(layout, options);
  const { calls } = layout;
  if (tools.length === 0 || calls === null) return null;
  const lazy = (options.toolChoice ?? "auto") === "auto";
  const context = newContext(options);
  const names = tools.map(({ name }) => name);
  const triggers = callTriggers(layout, names, options.beginning, options);
  const alone = lazy && options.extent === "call";
  const parallel = calls.parallel && options.parallel !== false && !(alone && calls.section === null);
  const markers = [...triggers.map(({ text }) => text), ...stops, layout.reasoning?.open.trim() ?? ""];
  const all = callsRule(context, layout, { tools, parallel, markers, alone });
  if (!lazy) {
    const root = sequence(
      reasoningRule(context, layout, options.beginning),
      leadRule(context, layout),
      blankBefore(calls),
      all,
    );
    return made(context, root, false, []);
  }
  // Calls without a text of their own are known by what leads to them.
  const lead = calls.section === null && calls.call[0]?.kind === "name" ? calls.lead.trim() : "";
  return made(context, sequence(lead === "" ? empty() : optional(literal(lead)), all), true, triggers);
}

/** A blank between words belongs to the text that begins the calls (`assistant to=functions.…`), which is written without it. */
function blankBefore({ section, call: [first] }: CallsLayout): GbnfExpression {
  const opening = section?.open ?? (first?.kind === "text" ? first.text : "");
  return /^ \w/.test(opening) ? literal(" ") : empty();
}

function chosenTools(
  layout: ResponseLayout,
  { tools, toolChoice = "auto" }: LayoutGrammarOptions,
): readonly ToolFunction[] {
  if (toolChoice === "none") return [];
  // A tool that is defined twice counts as last defined.
  const known = [...new Map(tools.map((tool) => [toolFunction(tool).name, toolFunction(tool)])).values()];
  if (toolChoice === "auto") return known;
  const wanted = toolChoice === "required" ? known : known.filter(({ name }) => name === toolChoice.name);
  const asked = toolChoice === "required" ? "A call is required" : `A call to "${toolChoice.name}" is required`;
  if (wanted.length === 0) {
    throw new TitoError("tool_choice_unknown", `${asked}, and there is no such tool. Add it to the tools.`, {
      details: { toolChoice, tools: known.map(({ name }) => name) },
    });
  }
  if (layout.calls === null) {
    throw new TitoError(
      "tool_choice_unknown",
      `${asked}, and this layout cannot write calls. Let the choice be "auto", or declare a tool format.`,
      { details: { toolChoice } },
    );
  }
  return wanted;
}

function formattedResponse(
  context: GrammarContext,
  layout: ResponseLayout,
  format: ResponseFormat,
  { beginning }: LayoutGrammarOptions,
): GbnfExpression {
  const { content } = layout;
  const schema = format.type === "json_schema" ? format.schema : new Map([["type", "object"]]);
  const value = schemaValue(context, schema, "response", { name: "response" });
  const opens = [content.open, ...(content.alsoOpens ?? [])]
    .filter((text) => text.trim() !== "")
    .map((text) => looseText(context, text));
  const isOpen = beginning.in === "content" || content.mode === "plain" || opens.length === 0;
  const open = isOpen ? context.space : sequence(context.space, alternatives(...opens), context.space);
  const close =
    content.close.trim() === "" || content.mode === "plain" ? empty() : optional(looseText(context, content.close));
  return sequence(
    reasoningRule(context, layout, beginning),
    open,
    value,
    context.space,
    close,
    responseEnd(context, layout),
  );
}
