import type { Tokenizer } from "../../tokenizer/types.ts";
import type { LayoutGrammar } from "../grammar.ts";
import type { KnownTool, PromptContext, TokenParser } from "../types.ts";
import { beginningOf } from "./beginningOf.ts";
import { type CompiledLayout, compileLayout } from "./compile.ts";
import type { LayoutBeginning } from "./layout.ts";
import { LayoutParser, type LayoutState } from "./layoutParser.ts";

interface LayoutParseRequest {
  readonly prompt: PromptContext;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  readonly state: LayoutState | undefined;
}

/** Makes parsers of one layout; what can be prepared is prepared once. */
export function layoutParserFactory(
  grammar: LayoutGrammar,
  tokenizer: Tokenizer,
): (request: LayoutParseRequest) => TokenParser {
  const { addedTokens } = tokenizer;
  const layout = compileLayout(
    grammar.layout,
    addedTokens.map(({ content }) => content),
  );
  const added = new Set(addedTokens.map(({ id }) => id));
  const { stops } = grammar;
  return ({ prompt, tools, state }) => {
    const beginning = layoutBeginning(grammar, prompt, tokenizer, layout);
    return new LayoutParser({ layout, tokenizer, stops, added, beginning, tools, state });
  };
}

export function layoutBeginning(
  { header, turnStart, layout: source }: LayoutGrammar,
  prompt: PromptContext,
  tokenizer: Tokenizer,
  layout: CompiledLayout = compileLayout(source),
): LayoutBeginning {
  if ("reasoning" in prompt) {
    if (prompt.reasoning === "open" && layout.reasoning) return { in: "reasoning" };
    return { in: "start", closed: prompt.reasoning === "closed" };
  }
  const start = prompt.lastIndexOf(turnStart);
  const text = tokenizer.decode(prompt.slice(Math.max(start, prompt.length - maxHeader)));
  const at = header === "" ? -1 : text.lastIndexOf(header.trimEnd());
  return beginningOf(layout, at < 0 ? text : text.slice(at + header.trimEnd().length));
}

/** A header and what it opens are short. */
const maxHeader = 256;
