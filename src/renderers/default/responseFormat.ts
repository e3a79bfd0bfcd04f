import {
  analyze,
  type LayoutOverrides,
  readerFor,
  responseGrammar,
  type TemplateAnalysis,
} from "../../autoparser/index.ts";
import type { DefaultConfig } from "../../configs/index.ts";
import type { ReasoningLayout, ResponseGrammar } from "../../parse/index.ts";
import type { ChatTemplate } from "../../template/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { namedGrammar } from "../namedParsers/index.ts";

/** How the default renderer reads responses. */
export interface ResponseFormat {
  readonly grammar: ResponseGrammar;
  /** What is known of the template's own format; null where the format was named instead. */
  readonly analysis: TemplateAnalysis | null;
}

/** Most models that think write it so, and a model that does not never writes these markers. */
const ASSUMED: ReasoningLayout = { mode: "tag_based", open: "<think>", close: "</think>" };

/** By the parsers that the config names, or else by what the template itself shows. `template`: the one for tools. */
export function responseFormat(
  tokenizer: Tokenizer,
  config: DefaultConfig,
  template: ChatTemplate,
  ends: readonly number[],
): ResponseFormat {
  const { toolParser, reasoningParser, analysis: mode, templateKwargs } = config;
  const overrides = config.overrides as LayoutOverrides | undefined;
  if (mode === "off" || toolParser !== undefined || reasoningParser !== undefined) {
    return {
      analysis: null,
      grammar: namedGrammar(tokenizer, { toolParser, reasoningParser, impliedReasoning: "think", stops: ends }),
    };
  }
  const endTexts = ends.flatMap((id) => tokenizer.idToToken(id) ?? []);
  const analysis = analyze(template, {
    specialTokens: tokenizer.specialTokens,
    templateKwargs,
    ends: endTexts,
    overrides,
  });
  const { layout, header } = analysis;
  const reader = readerFor(analysis, tokenizer);
  const readable = { ...analysis, layout: { ...layout, reasoning: layout.reasoning ?? ASSUMED }, reader };
  const found = analysis.stops.flatMap((text) => tokenizer.tokenToId(text) ?? []);
  const stops = [...new Set([...ends, ...found])].filter((id) => !opensCalls(analysis, tokenizer.idToToken(id)));
  return {
    analysis,
    grammar: responseGrammar(readable, tokenizer, stops.length > 0 ? stops : ends, turnStart(tokenizer, header)),
  };
}

/** A token that ends a turn of content, but with which calls begin, does not end a response. */
function opensCalls({ layout: { calls } }: TemplateAnalysis, token: string | undefined): boolean {
  const first = calls?.call[0];
  const opening = calls?.section?.open || (first?.kind === "text" ? first.text : "");
  return token !== undefined && opening.startsWith(token);
}

/** The token that begins a turn's header; -1, which is no id, where none does. */
function turnStart(tokenizer: Tokenizer, header: string): number {
  const found = tokenizer.addedTokens.filter(({ content }) => header.startsWith(content));
  return found.sort((a, b) => b.content.length - a.content.length)[0]?.id ?? -1;
}
