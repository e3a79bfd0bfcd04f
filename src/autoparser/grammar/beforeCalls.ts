import { alternatives, empty, type GbnfExpression, literal, optional, sequence, throughAny } from "../../gbnf/index.ts";
import type { LayoutBeginning, ResponseLayout } from "../../parse/layout/layout.ts";
import { anySpace, type GrammarContext, looseText } from "./grammarContext.ts";

/** Reasoning at a response's start: free until it closes. */
export function reasoningRule(
  context: GrammarContext,
  { reasoning }: ResponseLayout,
  beginning: LayoutBeginning,
): GbnfExpression {
  const close = reasoning?.close.trim() ?? "";
  if (reasoning === null || close === "" || beginning.in === "content") return empty();
  if (beginning.in === "start" && beginning.closed && reasoning.repeats !== true) return empty();
  const behind = anySpace(context, reasoning.close.slice(reasoning.close.trimEnd().length));
  const thinks = sequence(throughAny(context.builder, [close], "reasoning"), behind);
  if (beginning.in === "reasoning") return thinks;
  const opens = [...new Set([reasoning.open, ...(reasoning.alsoOpens ?? [])].map((text) => text.trim()))];
  const isImplied = reasoning.implied === true || opens.includes("");
  const options = opens.filter((text) => text !== "").map((text) => sequence(literal(text), thinks));
  if (reasoning.empty?.trim() === close) options.push(sequence(literal(close), behind));
  if (isImplied) options.push(thinks);
  return options.length === 0 ? empty() : sequence(context.space, optional(alternatives(...options)));
}

/** What stands between reasoning and calls where there is no content. */
export function leadRule(context: GrammarContext, { content, calls }: ResponseLayout): GbnfExpression {
  const { lead, leadAlone = "" } = calls!;
  const [open, close] = [content.open.trim(), content.close.trim()];
  const alone = looseText(context, leadAlone);
  const leads: GbnfExpression[] = [leadAlone.trim() === "" ? context.space : alone];
  const closes = close !== "" && lead.trim().startsWith(close);
  if (lead.trim() !== "" && !closes) leads.push(looseText(context, lead));
  const wrapped =
    open === "" || close === ""
      ? []
      : [sequence(literal(open), context.space, literal(close), closes ? context.space : alternatives(...leads))];
  return alternatives(...leads, ...wrapped);
}
