import { equalJson, type JsonInput, tryParseJson } from "../messages/index.ts";
import type { ParsedResponse, ParsedToolCall, ParserEvent, ToolCallStatus } from "../parse/index.ts";

/** What a response is to be read as. What is left out is to be empty. */
export interface ExpectedMessage {
  readonly content?: string | undefined;
  readonly reasoningContent?: string | undefined;
  readonly toolCalls?: readonly ExpectedCall[] | undefined;
}

export interface ExpectedCall {
  readonly name: string;
  /** A value, or JSON text; compared as JSON. Of a call that broke off, what was read of them so far. */
  readonly arguments?: JsonInput | undefined;
  readonly id?: string | undefined;
  /** Default `ok`. */
  readonly status?: ToolCallStatus | undefined;
}

/** One way of reading a response. */
export interface ResponseReading {
  readonly way: string;
  readonly events: readonly ParserEvent[];
  readonly response: ParsedResponse;
}

/**
 * `continued`: a part of the message was said before, of which there are no events.
 *
 * @throws Error that shows both, if the response is not as expected, or if what was reported of it on the way is not what it is
 */
export function checkReading(
  expected: ExpectedMessage,
  reading: ResponseReading,
  { continued = false }: { readonly continued?: boolean } = {},
): void {
  const { way, response, events } = reading;
  const wrong = [...differences(expected, response), ...unreported(response, events, continued)];
  if (wrong.length === 0) return;
  const lines = [
    `The response, ${way}, is not as expected: ${wrong.join("; ")}.`,
    `expected ${show(expected)}`,
    `got      ${show(messageOf(response))}`,
  ];
  throw new Error(lines.join("\n"));
}

function differences(
  { content = "", reasoningContent = "", toolCalls = [] }: ExpectedMessage,
  got: ParsedResponse,
): string[] {
  const wrong: string[] = [];
  if (got.content !== content) wrong.push("content");
  if ((got.reasoning?.text ?? "") !== reasoningContent) wrong.push("reasoning");
  if (got.toolCalls.length !== toolCalls.length) {
    return [...wrong, `${got.toolCalls.length} calls instead of ${toolCalls.length}`];
  }
  for (const [index, call] of toolCalls.entries()) wrong.push(...callDifferences(call, got.toolCalls[index]!, index));
  return wrong;
}

function callDifferences(expected: ExpectedCall, got: ParsedToolCall, index: number): string[] {
  const { name, id, status = "ok", arguments: args } = expected;
  const wrong: string[] = [];
  const at = (what: string) => `${what} of call ${index}`;
  if (got.name !== name) wrong.push(at("name"));
  if (id !== undefined && got.id !== id) wrong.push(at("id"));
  if (got.status !== status) wrong.push(at(`status ${got.status}`));
  if (args !== undefined && !sameArguments(args, got)) wrong.push(at("arguments"));
  return wrong;
}

function sameArguments(expected: JsonInput, { argumentsText, partialArguments }: ParsedToolCall): boolean {
  const text = argumentsText ?? partialArguments ?? null;
  if (text === null) return false;
  const got = tryParseJson(text);
  const wanted = typeof expected === "string" ? tryParseJson(expected) : null;
  if (wanted !== null && !wanted.ok) return text === expected;
  return got.ok && equalJson(wanted === null ? expected : wanted.value, got.value);
}

function unreported(response: ParsedResponse, events: readonly ParserEvent[], continued: boolean): string[] {
  const joined = (kind: "content" | "reasoning") =>
    events.map((event) => (event.kind === kind ? event.text : "")).join("");
  const isSame = (all: string, deltas: string) => (continued ? all.endsWith(deltas) : all === deltas);
  const wrong: string[] = [];
  const [content, reasoning] = [joined("content"), joined("reasoning")];
  if (!isSame(response.content, content)) wrong.push(`deltas of content are ${show(content)}`);
  if (!isSame(response.reasoning?.text ?? "", reasoning)) wrong.push(`deltas of reasoning are ${show(reasoning)}`);
  for (const [index, call] of response.toolCalls.entries()) {
    const own = events.filter((event) => "index" in event && event.kind !== "stop" && event.index === index);
    const ended = own.find((event) => event.kind === "toolCallEnd");
    if (ended === undefined || show(ended.call) !== show(call)) wrong.push(`call ${index} was not reported as it is`);
    const names = own.flatMap((event) => (event.kind === "toolCallName" ? [event.name] : []));
    if (names.length > 1 || names.some((name) => name !== call.name))
      wrong.push(`names of call ${index}: ${show(names)}`);
    const args = own.flatMap((event) => (event.kind === "toolCallArguments" ? [event.text] : [])).join("");
    if (args !== "" && call.argumentsText !== null && args !== call.argumentsText)
      wrong.push(`deltas of call ${index}'s arguments are ${show(args)}`);
  }
  return wrong;
}

function messageOf({ content, reasoning, toolCalls }: ParsedResponse): ExpectedMessage {
  return {
    content,
    reasoningContent: reasoning?.text ?? "",
    toolCalls: toolCalls.map((call) => ({
      name: call.name ?? "",
      arguments: call.argumentsText ?? call.partialArguments ?? call.raw,
      ...(call.id === null ? {} : { id: call.id }),
      status: call.status,
    })),
  };
}

export function show(value: unknown): string {
  return JSON.stringify(value, (_, one) => {
    if (typeof one === "bigint") return `${one}n`;
    return one instanceof Map ? Object.fromEntries(one) : one;
  });
}
