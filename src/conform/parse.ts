import { equalJson, type JsonInput, type JsonValue, parseJson, pythonStrip, tryParseJson } from "../messages/index.ts";
import type { ParsedResponse, ParsedToolCall } from "../parse/index.ts";
import type { Renderer } from "../renderers/index.ts";
import { type RecordedCase, toolsOf } from "./cases.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/** Reads a completion and holds the parts against the recorded ones. */
export function runParse(recorded: RecordedCase, renderer: Renderer): Outcome {
  const { plain } = recorded;
  const parsed = renderer.parseResponse(plain.completion_ids, {
    prompt: plain.prompt_ids ?? { reasoning: "unknown" },
    tools: toolsOf(recorded),
  });
  const actual = parsedFields(parsed);
  const expectedCalls = ((recorded.lossless("expect") as ReadonlyMap<string, JsonValue>).get("tool_calls") ??
    []) as readonly ReadonlyMap<string, JsonValue>[];
  const lenient = Boolean(plain.lenient_args);
  if (plain.compare === "invariants") {
    const why = brokenInvariant(plain, parsed, expectedCalls, renderer, lenient);
    return why ? failed(why, actual) : passed("invariants", actual);
  }
  const why =
    textDifference("content", plain.expect.content, parsed.content) ??
    textDifference("reasoning_content", plain.expect.reasoning_content, parsed.reasoning?.text) ??
    completeDifference(plain.expect.reasoning_complete, parsed) ??
    (expectedCalls.length !== parsed.toolCalls.length
      ? `expected ${expectedCalls.length} tool calls, got ${parsed.toolCalls.length}`
      : firstCallDifference(expectedCalls, parsed.toolCalls, lenient));
  return why ? failed(why, actual) : passed("expect", actual);
}

function textDifference(name: string, expected: string | null | undefined, actual: string | undefined): string | null {
  const [a, b] = [pythonStrip(expected ?? ""), pythonStrip(actual ?? "")];
  return a === b ? null : `${name}: expected ${JSON.stringify(a)}, got ${JSON.stringify(b)}`;
}

function completeDifference(expected: boolean | null | undefined, parsed: ParsedResponse): string | null {
  const complete = parsed.reasoning?.complete ?? true;
  return typeof expected !== "boolean" || expected === complete
    ? null
    : `reasoning_complete: expected ${expected}, got ${complete}`;
}

function firstCallDifference(
  expected: readonly ReadonlyMap<string, JsonValue>[],
  actual: readonly ParsedToolCall[],
  lenient: boolean,
): string | null {
  for (const [index, recorded] of expected.entries()) {
    const call = actual[index];
    const why = callDifference(recorded, call, lenient);
    if (why) return `tool_calls[${index}].${why}`;
  }
  return null;
}

function callDifference(
  expected: ReadonlyMap<string, JsonValue>,
  actual: ParsedToolCall | undefined,
  lenient: boolean,
): string | null {
  if (!actual) return "missing";
  const status = expected.get("status") as string;
  if (!statusFits(status, recordedStatus(actual.status), lenient))
    return `status: expected ${status}, got ${actual.status}`;
  if ((expected.get("name") ?? null) !== actual.name)
    return `name: expected ${String(expected.get("name"))}, got ${actual.name}`;
  if (status !== "ok" && status !== "unknown_tool") return null;
  const args = actual.argumentsText === null ? null : parseJson(actual.argumentsText);
  const wanted = expected.get("arguments") ?? null;
  return (lenient ? equalLeniently(wanted, args) : equalJson(wanted, args)) ? null : "arguments differ";
}

/** The recorded statuses have none for arguments that no schema types. */
const recordedStatus = (status: string): string => (status === "ambiguous_arguments" ? "ok" : status);

function statusFits(expected: string, actual: string, lenient: boolean): boolean {
  const alike = lenient ? ["ok", "unknown_tool", "invalid_json"] : ["ok", "unknown_tool"];
  return expected === actual || (alike.includes(expected) && alike.includes(actual));
}

/** A value and its JSON text are alike, edge white space of strings does not count. */
function equalLeniently(a: JsonInput, b: JsonInput): boolean {
  const readings = (value: JsonInput): JsonInput[] => {
    if (typeof value !== "string") return [value];
    const read = tryParseJson(value);
    return [pythonStrip(value), ...(read.ok ? [read.value] : [])];
  };
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equalLeniently(value, b.get(key)));
  }
  return readings(a).some((x) => readings(b).some((y) => equalJson(x, y)));
}

/** Damaged completions: nothing thrown, raw text kept, and the calls before the first fault as recorded. */
function brokenInvariant(
  // biome-ignore lint/suspicious/noExplicitAny: see RecordedCase.plain
  plain: any,
  parsed: ParsedResponse,
  expectedCalls: readonly ReadonlyMap<string, JsonValue>[],
  renderer: Renderer,
  lenient: boolean,
): string | null {
  const text = renderer.tokenizer.decode(plain.completion_ids);
  for (const [index, call] of parsed.toolCalls.entries()) {
    if (!text.includes(call.raw)) return `tool_calls[${index}].raw is not in the completion`;
    const [start, end] = call.tokenSpan;
    if (start < 0 || end > plain.completion_ids.length || start >= end)
      return `tool_calls[${index}].token_span is out of range`;
  }
  const fault = expectedCalls.findIndex((call) => !["ok", "unknown_tool"].includes(call.get("status") as string));
  const sound = fault < 0 ? [] : expectedCalls.slice(0, fault);
  return firstCallDifference(sound, parsed.toolCalls, lenient);
}

export function parsedFields(parsed: ParsedResponse) {
  return {
    content: parsed.content,
    reasoning_content: parsed.reasoning?.text ?? null,
    reasoning_complete: parsed.reasoning?.complete ?? true,
    tool_calls: parsed.toolCalls.map((call) => ({
      name: call.name,
      arguments: call.arguments,
      status: recordedStatus(call.status),
      raw: call.raw,
      token_span: call.tokenSpan,
      id: call.id,
    })),
  };
}
