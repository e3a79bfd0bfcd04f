import { equalJson, type JsonValue, pythonStrip, tryParseJson } from "../messages/index.ts";
import type { RecordedCase } from "./cases.ts";
import type { Outcome } from "./outcome.ts";
import { looseDifference, type TemplateParseFields } from "./templateParse.ts";

/** Rules of deviations for responses that are read by the analysis of their template. */
export const templateParseRules: Readonly<Record<string, (recorded: RecordedCase, outcome: Outcome) => boolean>> = {
  /** Of the calls those are read that the text holds; all else is as recorded. */
  "calls that are written": ({ plain }, outcome) => {
    const { tool_calls: expected } = plain.expected as TemplateParseFields;
    const actual = fieldsOf(outcome);
    const text: string = plain.completion_text;
    const written = expected.filter(({ arguments: args }) => holdsTexts(text, args));
    return (
      actual !== null &&
      written.length < expected.length &&
      looseDifference({ ...plain.expected, tool_calls: written }, actual) === null
    );
  },
  /** Content that the text has in the channel of thoughts, before a call, is reasoning; all else is as recorded. */
  "thoughts before a call": ({ plain }, outcome) => {
    const expected = plain.expected as TemplateParseFields;
    const actual = fieldsOf(outcome);
    const thought = pythonStrip(expected.content);
    return (
      actual !== null &&
      expected.tool_calls.length > 0 &&
      expected.reasoning_content === "" &&
      plain.completion_text.includes(`<|channel|>analysis<|message|>${thought}<|end|>`) &&
      looseDifference({ ...expected, content: "", reasoning_content: thought }, actual) === null
    );
  },
  /** The template has cut a thought's closing marker out of the content, and all before it: what it left is content. */
  "what stands behind reasoning": ({ plain }, outcome) => {
    const expected = plain.expected as TemplateParseFields;
    const [before, ...rest] = plain.completion_text.split("</think>");
    const behind = rest.join("</think>");
    const actual = fieldsOf(outcome);
    return (
      actual !== null &&
      plain.dropped?.includes("content") &&
      pythonStrip(before) === "" &&
      pythonStrip(behind) !== "" &&
      looseDifference({ ...expected, content: behind }, actual) === null
    );
  },
  /** A value's text ends with the text that ends values: the call ends there, and the calls that were whole before it count. */
  "a value ends with its quote": ({ plain }, outcome) => {
    const actual = fieldsOf(outcome);
    const { tool_calls: expected } = plain.expected as TemplateParseFields;
    const text: string = plain.completion_text;
    const quoted = expected.findIndex(({ arguments: args }) =>
      stringsOf(args).some((value) => value.includes('<|"|>}') && text.includes(value)),
    );
    const sound = expected.slice(0, quoted);
    return (
      actual !== null &&
      quoted >= 0 &&
      actual.tool_calls[quoted]?.name === expected[quoted]!.name &&
      looseDifference(
        { content: "", reasoning_content: plain.expected.reasoning_content, tool_calls: sound },
        {
          ...actual,
          content: "",
          tool_calls: actual.tool_calls.slice(0, quoted),
        },
      ) === null
    );
  },
  /** An argument of which the text has nothing is empty; all else is as recorded. */
  "values that are not written": ({ plain }, outcome) => {
    const expected = plain.expected as TemplateParseFields;
    const actual = fieldsOf(outcome);
    if (actual === null || actual.tool_calls.length !== expected.tool_calls.length) return false;
    let lost = 0;
    const kept = (args: string, own: string): string => {
      const [wanted, got] = [tryParseJson(args), tryParseJson(own)];
      if (!wanted.ok || !got.ok || !(wanted.value instanceof Map) || !(got.value instanceof Map)) return own;
      for (const [key, value] of wanted.value) {
        const mine: JsonValue | undefined = got.value.get(key);
        const isLost = typeof value === "object" && value !== null && !holdsTexts(plain.completion_text, args, key);
        if (isLost && (mine === undefined || mine === "")) lost++;
        else if (mine === undefined || !equalJson(mine, value)) return own;
      }
      return args;
    };
    const tool_calls = actual.tool_calls.map((call, index) => ({
      ...call,
      arguments: kept(expected.tool_calls[index]!.arguments, call.arguments),
    }));
    return looseDifference(expected, { ...actual, tool_calls }) === null && lost > 0;
  },
};

const fieldsOf = (outcome: Outcome): TemplateParseFields | null =>
  outcome.outcome === "failed" && outcome.actual !== null && typeof outcome.actual === "object"
    ? "tool_calls" in outcome.actual
      ? (outcome.actual as TemplateParseFields)
      : null
    : null;

/** Does a text hold every word of the arguments, or of one of them: its keys and strings, and its numbers? */
function holdsTexts(text: string, args: string, key?: string): boolean {
  const read = tryParseJson(args);
  if (!read.ok) return false;
  const value = key === undefined ? read.value : ((read.value as ReadonlyMap<string, JsonValue>).get(key) ?? null);
  return leavesOf(value).every((leaf) => text.includes(leaf));
}

function leavesOf(value: JsonValue): string[] {
  if (value instanceof Map) return [...value].flatMap(([key, inner]) => [key, ...leavesOf(inner)]);
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return typeof value === "string" ? [value] : [];
}

const stringsOf = (args: string): string[] => {
  const read = tryParseJson(args);
  return read.ok ? leavesOf(read.value) : [];
};
