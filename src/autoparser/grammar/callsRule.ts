import {
  alternatives,
  empty,
  type GbnfExpression,
  literal,
  oneOf,
  optional,
  repeat,
  sequence,
  untilAny,
} from "../../gbnf/index.ts";
import type { ToolFunction } from "../../messages/index.ts";
import type { ResponseLayout } from "../../parse/layout/layout.ts";
import { callRule, opener, trailingSpace } from "./callRule.ts";
import { type GrammarContext, looseText } from "./grammarContext.ts";

export interface CallsOptions {
  readonly tools: readonly ToolFunction[];
  readonly parallel: boolean;
  /** What content behind calls does not hold. */
  readonly markers: readonly string[];
  /** Nothing follows the calls. */
  readonly alone: boolean;
}

/** From the first text of the first call, without white space before it, to the response's end, or the calls'. */
export function callsRule(context: GrammarContext, layout: ResponseLayout, options: CallsOptions): GbnfExpression {
  const calls = layout.calls!;
  const { section, separator, call } = calls;
  const { builder } = context;
  const one = builder.rule("call", alternatives(...options.tools.map((tool) => callRule(context, calls, tool))));
  const behind = trailingSpace(calls);
  const more = sequence(looseText(context, behind + separator), one);
  const list = options.parallel ? sequence(one, repeat(more)) : one;
  const all =
    section === null
      ? list
      : sequence(opener(context, section.open, call[0]), list, looseText(context, (behind + section.close).trimEnd()));
  return options.alone
    ? all
    : sequence(all, contentBehind(context, layout, options.markers), responseEnd(context, layout));
}

/** Content that follows calls: free text in which no other part begins. */
function contentBehind(
  context: GrammarContext,
  { content }: ResponseLayout,
  markers: readonly string[],
): GbnfExpression {
  if (content.afterCalls !== true) return empty();
  const text = untilAny(
    context.builder,
    markers.filter((one) => one !== ""),
    "content",
  );
  if (content.mode !== "always_wrapped") return text;
  return optional(sequence(looseText(context, content.open), text, looseText(context, content.close)));
}

/** What the template writes behind a response, or less, and white space that means nothing. */
export function responseEnd({ builder }: GrammarContext, { end }: ResponseLayout): GbnfExpression {
  const tail = builder.rule("tail", repeat(oneOf(" \t\r\n"), { max: 16 }));
  const core = end.trim();
  return core === "" ? tail : sequence(tail, optional(sequence(literal(core), tail)));
}
