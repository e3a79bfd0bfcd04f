import { readFileSync } from "node:fs";
import { analyze, type ResponseTextOptions, responseTextParser, type TemplateAnalysis } from "../autoparser/index.ts";
import { TitoError } from "../errors.ts";
import {
  equalJson,
  type JsonInput,
  type JsonValue,
  pythonStrip,
  toolFunction,
  tryParseJson,
} from "../messages/index.ts";
import type { KnownTool, ParsedResponse, ParsedToolCall, ParserEvent } from "../parse/index.ts";
import { type RecordedCase, toolsOf } from "./cases.ts";
import { templateFile } from "./locate.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/** Reads a completion with what the analysis of its template finds out, whole and as a stream. */
export function runTemplateParse(recorded: RecordedCase, fixtures: string): Outcome {
  const { plain } = recorded;
  const analysis = recordedAnalysis(recorded, fixtures);
  const text = withoutStop(plain.completion_text, analysis);
  const options = parserOptions(recorded, analysis);
  const { response } = readPieces(analysis, [text], options);
  const actual = templateParseFields(response);
  const compare: string = plain.is_partial ? "partial" : (plain.compare ?? "loose");
  const why = comparisons[compare]!(plain.expected, actual);
  if (why !== null) return failed(why, actual);
  const cuts: readonly number[] = plain.cuts ?? [];
  const characters = Array.from(text);
  const streams = [piecesAt(characters, cuts), characters];
  for (const pieces of streams) {
    const fault = streamFault(response, readPieces(analysis, pieces, options), options.continues === true);
    if (fault !== null) return failed(`in ${pieces.length} pieces: ${fault}`, actual);
  }
  return passed(compare, actual);
}

/** The analysis of a case's template. @throws TitoError `fixtures_missing` */
export function recordedAnalysis({ plain }: RecordedCase, fixtures: string): TemplateAnalysis {
  const file = templateFile(fixtures, plain.template);
  if (!file) throw new TitoError("fixtures_missing", `no template "${plain.template}"`);
  return analyze(readFileSync(file, "utf8"));
}

/** The text that stops a response may be recorded with it. */
function withoutStop(text: string, { stops }: TemplateAnalysis): string {
  const stop = stops.find((one) => text.endsWith(one));
  return stop === undefined ? text : text.slice(0, -stop.length);
}

function parserOptions(recorded: RecordedCase, analysis: TemplateAnalysis): ResponseTextOptions {
  const { plain } = recorded;
  const tools = toolsOf(recorded);
  const known = (tools ?? []).map((tool): [string, KnownTool] => {
    const { name, parameters } = toolFunction(tool) as { name: string; parameters?: JsonInput };
    return [name, { name, parameters }];
  });
  return {
    generationPrompt: openedOf(plain, analysis),
    tools: known.length > 0 ? new Map(known) : null,
    reasoningFormat: plain.reasoning_format === "none" ? "none" : "auto",
    ...(plain.json_schema ? { responseFormat: { type: "json_schema" } } : {}),
    continues: plain.continue_final_message > 0,
  };
}

/** What the prompt has behind the header; where no generation prompt is recorded, what the template's own prompts have. */
// biome-ignore lint/suspicious/noExplicitAny: see RecordedCase.plain
function openedOf({ generation_prompt: prompt, enable_thinking: thinking }: any, analysis: TemplateAnalysis): string {
  const { header, opened } = analysis;
  if (!prompt) return thinking === false ? opened.off : opened.on;
  const at = header === "" ? -1 : prompt.lastIndexOf(header);
  return at < 0 ? prompt : prompt.slice(at + header.length);
}

interface Read {
  readonly events: readonly ParserEvent[];
  readonly response: ParsedResponse;
}

function readPieces(analysis: TemplateAnalysis, pieces: readonly string[], options: ResponseTextOptions): Read {
  const parser = responseTextParser(analysis, options);
  const events = pieces.flatMap((piece) => parser.push(piece));
  const last = parser.end();
  return { events: [...events, ...last.events], response: last.response };
}

/** Cuts at numbers of characters. */
function piecesAt(characters: readonly string[], cuts: readonly number[]): string[] {
  const ends = [...cuts.filter((cut) => cut < characters.length), characters.length];
  return ends.map((end, index) => characters.slice(ends[index - 1] ?? 0, end).join(""));
}

/**
 * A stream gives the same response, and its events, joined, are the response: so nothing was taken back. Where a response goes
 * on from the prompt, no event has what the prompt had of it.
 */
function streamFault(whole: ParsedResponse, { events, response }: Read, continues: boolean): string | null {
  if (JSON.stringify(response) !== JSON.stringify(whole)) return "the response is another";
  const content = joined(events, "content");
  const isSame = (all: string, part: string) => (continues ? all.endsWith(part) : all === part);
  if (!isSame(whole.content, content)) return `events have the content ${JSON.stringify(content)}`;
  const reasoning = joined(events, "reasoning");
  if (!isSame(whole.reasoning?.text ?? "", reasoning)) return `events have the reasoning ${JSON.stringify(reasoning)}`;
  const ended = events.flatMap((event) => (event.kind === "toolCallEnd" ? [event.call] : []));
  if (JSON.stringify(ended) !== JSON.stringify(whole.toolCalls)) return "events have other calls";
  for (const [index, { argumentsText }] of whole.toolCalls.entries()) {
    const parts = events.flatMap((one) => (one.kind === "toolCallArguments" && one.index === index ? [one.text] : []));
    if (argumentsText !== null && parts.join("") !== argumentsText)
      return `events of call ${index} have the arguments ${JSON.stringify(parts.join(""))}`;
  }
  return null;
}

const joined = (events: readonly ParserEvent[], kind: "content" | "reasoning"): string =>
  events.map((event) => (event.kind === kind ? event.text : "")).join("");

/** A response in the recorded names. Arguments are JSON text, those of a call that broke off as far as they go. */
export interface TemplateParseFields {
  readonly content: string;
  readonly reasoning_content: string;
  readonly tool_calls: readonly {
    readonly name: string;
    readonly arguments: string;
    readonly id: string;
    readonly status?: string;
  }[];
}

function templateParseFields({ content, reasoning, toolCalls }: ParsedResponse): TemplateParseFields {
  return {
    content,
    reasoning_content: reasoning?.text ?? "",
    tool_calls: toolCalls.map((call) => ({
      name: call.name ?? "",
      arguments: argumentsOf(call),
      id: call.id ?? "",
      status: call.status,
    })),
  };
}

const argumentsOf = ({ argumentsText, partialArguments }: ParsedToolCall): string =>
  argumentsText ?? partialArguments ?? "";

type Comparison = (expected: TemplateParseFields, actual: TemplateParseFields) => string | null;

/** Content and reasoning but for the white space at their edges, calls with equal JSON. */
export const looseDifference: Comparison = (expected, actual) =>
  textDifference(expected, actual) ??
  countDifference(expected, actual) ??
  firstOf(expected.tool_calls, (call, index) => callDifference(call, actual.tool_calls[index]!, index));

const comparisons: Readonly<Record<string, Comparison>> = {
  loose: looseDifference,
  /** The completion is cut short: what there is of it is the beginning of what was to be. */
  prefix: (expected, actual) => {
    for (const field of textFields) {
      const [a, b] = texts(expected, actual, field);
      if (!a.startsWith(b)) return `${field}: ${JSON.stringify(b)} does not begin ${JSON.stringify(a)}`;
    }
    const [most, count] = [expected.tool_calls.length, actual.tool_calls.length];
    return count > most ? `expected ${most} tool calls at most, got ${count}` : brokenCalls(expected, actual);
  },
  /** Cut short, too, and what is expected is so as well. */
  partial: (expected, actual) =>
    textDifference(expected, actual) ?? countDifference(expected, actual) ?? brokenCalls(expected, actual),
};

const textFields = ["content", "reasoning_content"] as const;

const texts = (expected: TemplateParseFields, actual: TemplateParseFields, field: (typeof textFields)[number]) =>
  [pythonStrip(expected[field] ?? ""), pythonStrip(actual[field])] as const;

const textDifference: Comparison = (expected, actual) =>
  firstOf(textFields, (field) => {
    const [a, b] = texts(expected, actual, field);
    return a === b ? null : `${field}: expected ${JSON.stringify(a)}, got ${JSON.stringify(b)}`;
  });

const countDifference: Comparison = ({ tool_calls: expected }, { tool_calls: actual }) =>
  expected.length === actual.length ? null : `expected ${expected.length} tool calls, got ${actual.length}`;

function firstOf<T>(items: readonly T[], differenceOf: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const why = differenceOf(item, index);
    if (why !== null) return why;
  }
  return null;
}

type Call = TemplateParseFields["tool_calls"][number];

function callDifference(expected: Call, actual: Call, index: number): string | null {
  if (expected.name !== actual.name) return `tool_calls[${index}].name: expected ${expected.name}, got ${actual.name}`;
  return sameArguments(expected.arguments, actual.arguments)
    ? null
    : `tool_calls[${index}].arguments: expected ${expected.arguments}, got ${actual.arguments}`;
}

/** A recorded value that broke off may be no JSON: then the texts are equal. */
function sameArguments(expected: string, actual: string): boolean {
  const [a, b] = [tryParseJson(expected), tryParseJson(actual)];
  return a.ok && b.ok ? equalJson(a.value, b.value) : expected === actual;
}

/** Whole calls are as expected, and the others begin so. */
const brokenCalls: Comparison = ({ tool_calls: expected }, { tool_calls: actual }) =>
  firstOf(actual, (call, index) => {
    const whole = expected[index]!;
    if (call.status === "ok") return callDifference(whole, call, index);
    if (!whole.name.startsWith(call.name)) return `tool_calls[${index}].name: got ${call.name}`;
    return begins(call.arguments, whole.arguments)
      ? null
      : `tool_calls[${index}].arguments: ${call.arguments} does not begin ${whole.arguments}`;
  });

/** Arguments that broke off have some of the whole's keys; the last text may be a beginning. */
function begins(part: string, whole: string): boolean {
  const [read, all] = [tryParseJson(part), tryParseJson(whole)];
  if (part === "" || whole === "") return true;
  if (read.ok && all.ok) return isBeginning(read.value, all.value);
  // What was to be is broken off itself.
  const tight = (text: string) => text.replaceAll(/\s/g, "");
  return tight(whole).startsWith(tight(part).replace(/["\]}]+$/, ""));
}

function isBeginning(part: JsonValue, whole: JsonValue | undefined): boolean {
  if (whole === undefined) return false;
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (part instanceof Map)
    return whole instanceof Map && [...part].every(([key, value]) => isBeginning(value, whole.get(key)));
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((value, index) => isBeginning(value, whole[index]));
  return true;
}
