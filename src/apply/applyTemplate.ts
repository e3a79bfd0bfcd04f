import { analyze, type TemplateAnalysis } from "../autoparser/analyze.ts";
import { preservedTokens } from "../autoparser/findings/preservedTokens.ts";
import { layoutGrammar } from "../autoparser/grammar/index.ts";
import { readerFor, responseGrammar, responseTextParser } from "../autoparser/readers.ts";
import { TitoError } from "../errors.ts";
import { contentText, type Message, type ToolSpec, toolFunction, toolName } from "../messages/index.ts";
import {
  beginningOf,
  type KnownTool,
  type LayoutBeginning,
  type ParserState,
  parserFactory,
  type ResponseLayout,
  type TokenParser,
} from "../parse/index.ts";
import { type ChatTemplate, chooseTemplate, compileTemplate } from "../template/index.ts";
import { chatFormatOf } from "./chatFormat.ts";
import { checkRequest, impossible, toolChoiceOf } from "./checkRequest.ts";
import { genericCalls, withGenericTools } from "./genericTools.ts";
import { idParser } from "./idParser.ts";
import { promptIds, templateRenderer } from "./promptIds.ts";
import { promptText } from "./promptText.ts";
import { stopsOf } from "./stops.ts";
import { thinkingTags, thinkingVariables } from "./thinking.ts";
import type { AppliedTemplate, ApplyRequest } from "./types.ts";

/**
 * One request by a chat template: the prompt, and with it all that its answer is sampled and read by: grammar, triggers, stops,
 * and a parser that knows what the prompt has opened.
 *
 * @throws TitoError `invalid_request` for a request that contradicts itself; `tool_choice_unknown`; `tools_unsupported` where the
 * template has no format for calls; as `checkMessages`, as the template's render, and `schema_unsupported`
 * @example
 * const applied = applyTemplate({ template, messages, tools });
 * const parser = applied.textParser();
 * parser.push(await complete(llamaServerRequest(applied)));
 * parser.end().response.toolCalls;
 */
export function applyTemplate(request: ApplyRequest): AppliedTemplate {
  checkRequest(request);
  const { tokenizer, reasoningFormat = "auto", continueFinalMessage = false, toolFormat = "template", now } = request;
  const tools = request.tools ?? undefined;
  const isGeneric = toolFormat === "generic" && tools !== undefined && tools.length > 0;
  const source = templateOf(request, isGeneric ? undefined : tools);
  const template = compileTemplate(source, { mutable: true });
  const specialTokens = request.specialTokens ?? tokenizer?.specialTokens ?? textOnly;
  const templateKwargs = { ...thinkingVariables(request.enableThinking, source), ...request.templateKwargs };
  const analysis = analysisOf(template, request, specialTokens);

  const choice = toolChoiceOf(request.toolChoice);
  const calls = isGeneric ? genericCalls : analysis.layout.calls;
  const wantsCalls = tools !== undefined && tools.length > 0 && choice !== "none";
  if (wantsCalls && calls === null) throw unsupported(analysis);
  const layout: ResponseLayout = { ...analysis.layout, calls: wantsCalls ? calls : null };

  const messages = isGeneric ? withGenericTools(request.messages, tools) : request.messages;
  const told = isGeneric ? undefined : tools;
  const generates = !continueFinalMessage && request.addGenerationPrompt !== false;
  const written = promptText(template, {
    messages,
    tools: told,
    now,
    specialTokens,
    templateKwargs,
    header: analysis.header,
    layout,
    generates,
    continues: continueFinalMessage,
  });
  const { text, generationPrompt, opened, thoughts } = written;
  const continued = continueFinalMessage ? saidBy(request.messages.at(-1)!) : null;
  const beginning = continued ? behindSaid(continued, layout) : beginningOf(layout, opened);

  const binding = { template: source, templateKwargs, now, onWarning: request.onWarning };
  const renderer = tokenizer && templateRenderer(tokenizer, binding);
  const { stops, stopTokenIds } = stopsOf({
    found: analysis.stops,
    ids: renderer?.stopTokenIds ?? [],
    layout,
    source,
    specialTokens,
    tokenizer,
  });
  const responseFormat = request.responseFormat?.type === "text" ? undefined : request.responseFormat;
  const grammar = layoutGrammar(layout, {
    tools: wantsCalls ? tools : [],
    toolChoice: wantsCalls ? choice : "none",
    parallel: request.parallelToolCalls,
    responseFormat,
    beginning,
    stops,
    specialTokens: tokenizer?.addedTokens,
  });
  const known = wantsCalls ? knownTools(tools) : new Map<string, KnownTool>();
  const reading = { tools: known, reasoningFormat, responseFormat };
  const readable = {
    layout,
    stops,
    header: analysis.header,
    reader: isGeneric ? ("layout" as const) : analysis.reader,
  };
  const ids = tokenizer && idsReader();
  const promptOfIds = (): Int32Array | null =>
    renderer === undefined
      ? null
      : promptIds(renderer, { messages, tools: written.tools, generates, continues: continueFinalMessage, thoughts });

  function idsReader(): (state?: ParserState) => TokenParser {
    const isHarmony = readerFor(readable, tokenizer!) === "harmony" && reasoningFormat === "auto" && !responseFormat;
    if (!isHarmony) return idParser({ layout, tokenizer: tokenizer!, stops: stopTokenIds, beginning, ...reading });
    const parsers = parserFactory(responseGrammar(readable, tokenizer!, stopTokenIds, -1), tokenizer!);
    return (state) => parsers({ prompt: promptOfIds()!, tools: known, state });
  }

  return {
    prompt: text,
    promptIds: promptOfIds(),
    generationPrompt,
    opened,
    beginning,
    continued,
    parser({ state } = {}) {
      if (ids) return ids(state);
      throw impossible("parser", "without a tokenizer there are no ids to read", "Pass one, or take textParser");
    },
    textParser: ({ state, whole = false } = {}) =>
      whole && continued
        ? responseTextParser(readable, { ...reading, generationPrompt: opened, continues: true, state })
        : responseTextParser(readable, { ...reading, beginning, generationPrompt: opened, state }),
    grammar: grammar?.gbnf ?? null,
    lazy: grammar?.lazy ?? false,
    triggers: grammar?.triggers ?? [],
    preservedTokens: grammar?.preservedTokens ?? preservedTokens(layout),
    stops,
    stopTokenIds,
    supportsThinking: layout.reasoning !== null,
    thinking: layout.reasoning && thinkingTags(layout.reasoning, analysis.header),
    chatFormat: chatFormatOf(layout, responseFormat !== undefined),
    capabilities: analysis.capabilities,
    toolFormat: isGeneric ? "generic" : "template",
    layout,
    analysis,
  };
}

function templateOf({ template, tokenizer }: ApplyRequest, tools: readonly ToolSpec[] | undefined): string {
  return template ?? chooseTemplate(tokenizer!, { tools: tools !== undefined }).text;
}

/** A prompt of text is given its first token by what reads it. */
const textOnly: ReadonlyMap<string, string> = new Map([["bos_token", ""]]);

function analysisOf(
  template: ChatTemplate,
  { templateKwargs, overrides, hypotheses }: ApplyRequest,
  specialTokens: ReadonlyMap<string, string>,
): TemplateAnalysis {
  const seen = new Map([...specialTokens].filter(([, text]) => text !== ""));
  return analyze(template, { specialTokens: seen, templateKwargs, overrides, hypotheses });
}

function unsupported({ limits, capabilities: { supportsToolCalls } }: TemplateAnalysis): TitoError {
  const fact = supportsToolCalls
    ? "the template writes calls in a format that is not understood"
    : "the template never writes calls";
  return new TitoError(
    "tools_unsupported",
    `tools: ${fact}. Set toolFormat: "generic" to have the tools described in a system message and called in a format declared ` +
      "there, use a template for tools, or give the format with overrides or hypotheses.",
    { details: { field: "tools", limits } },
  );
}

function saidBy(message: Message): { readonly content: string; readonly reasoning: string | null } {
  return { content: contentText(message), reasoning: message.reasoning_content ?? message.reasoning ?? null };
}

function behindSaid({ content }: { readonly content: string }, { reasoning }: ResponseLayout): LayoutBeginning {
  return content === "" && reasoning ? { in: "reasoning" } : { in: "content" };
}

function knownTools(tools: readonly ToolSpec[]): ReadonlyMap<string, KnownTool> {
  return new Map(
    tools.map((tool) => [toolName(tool), { name: toolName(tool), parameters: toolFunction(tool).parameters }]),
  );
}
