import { type LayoutGrammarOptions, layoutGrammar, type ToolGrammar } from "../../autoparser/grammar/index.ts";
import { alternatives, GbnfBuilder, parseGbnf, printGbnf } from "../../gbnf/index.ts";
import type { CallsLayout, ResponseLayout } from "../../parse/index.ts";
import type { GrammarOptions } from "../grammarOptions.ts";

/** The grammar of whatever is to be held; null: nothing. `forms`: the ways in which models write calls. */
export function derivedGrammar(
  layout: ResponseLayout,
  forms: readonly CallsLayout[],
  options: LayoutGrammarOptions,
): GrammarOptions | null {
  const isLazy = (options.toolChoice ?? "auto") === "auto" && options.responseFormat === undefined;
  // Behind one call nothing holds the model back from another one, but for the grammar itself.
  const extent = options.parallel === false ? "response" : "call";
  const layouts = isLazy ? forms.map((calls) => ({ ...layout, calls })) : [layout];
  const [first, ...others] = layouts.flatMap((one) => layoutGrammar(one, { ...options, extent }) ?? []);
  if (first === undefined) return null;
  const { gbnf, triggers, preservedTokens } = others.length === 0 ? first : joined([first, ...others]);
  // A marker's id in an argument would be a marker to whoever reads ids.
  const specialTokens = "named";
  if (!isLazy) return { gbnf, preservedTokens, specialTokens };
  const sleeps = extent === "call" ? "complete" : "end";
  return { gbnf, lazy: true, triggers, sleeps, wakes: "outside_reasoning", preservedTokens, specialTokens };
}

function joined(grammars: readonly ToolGrammar[]): Pick<ToolGrammar, "gbnf" | "triggers" | "preservedTokens"> {
  const builder = new GbnfBuilder();
  const roots = grammars.map(({ gbnf }) => {
    const parsed = parseGbnf(gbnf);
    return builder.include(parsed)({ kind: "reference", name: "root" });
  });
  const triggers = new Map(grammars.flatMap((one) => one.triggers).map((one) => [JSON.stringify(one), one]));
  return {
    gbnf: printGbnf(builder.build(alternatives(...roots))),
    triggers: [...triggers.values()],
    preservedTokens: [...new Set(grammars.flatMap((one) => one.preservedTokens))],
  };
}
