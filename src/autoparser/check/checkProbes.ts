import type { JsonInput } from "../../messages/index.ts";
import type { CallsLayout, ResponseLayout } from "../../parse/layout/layout.ts";
import { call, type Said } from "../probe/probes.ts";
import type { ProbeTool } from "../probe/types.ts";

/** A response for the template to write and the layout to read. */
export interface CheckProbe {
  readonly name: string;
  readonly said: Said;
  readonly tools: readonly ProbeTool[];
}

/** Arguments by kind: one of each JSON type, nested ones, texts that look like other things. */
const sets = {
  plain: { where: "Oslo", unit: "celsius" },
  none: {},
  typed: {
    text: "1 + 1",
    count: 3,
    ratio: -0.5,
    flag: true,
    items: [1, "two"],
    nested: { deep: { list: [false, null] }, word: "w" },
  },
  unicode: { text: "é 日本 🚀 \u2028 tab\t \"quoted\" 'single' \\ back" },
  lines: { text: "first\n  second <b>bold</b> & more\n\nlast\n" },
  lookalike: { text: "true", other: "007", third: '{"a": 1}' },
  nothing: { flag: false, missing: null },
} as const satisfies Readonly<Record<string, Readonly<Record<string, JsonInput>>>>;

const typeOf = (value: JsonInput): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
};

function toolFor(name: string, args: Readonly<Record<string, JsonInput>>): ProbeTool {
  const properties = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, { type: typeOf(value) }]));
  return { type: "function", function: { name, description: name, parameters: { type: "object", properties } } };
}

/** The probes for a layout: what its own markers look like is part of some. */
export function checkProbes(layout: ResponseLayout): CheckProbe[] {
  const content = "It is 5 < 7.\n\n- one\n- two";
  const reasoning = "First this.\nThen that.";
  const plain = (name: string, said: Said): CheckProbe => ({ name, said, tools: [] });
  const talks = [
    plain("content", { content }),
    plain("content_braces", { content: 'A sample: {"name": "x"} and [1, 2].' }),
    plain("reasoning", { content, reasoning }),
  ];
  if (layout.calls === null) return talks;
  const calls = (name: string, all: readonly Readonly<Record<string, JsonInput>>[], said: Said = {}): CheckProbe => ({
    name,
    said: { ...said, calls: all.map((args, index) => call(index, args)) },
    tools: all.map((args, index) => toolFor(call(index, {}).function.name, args)),
  });
  const marker = closingMarker(layout.calls);
  return [
    ...talks,
    ...Object.entries(sets).map(([name, args]) => calls(`call_${name}`, [args])),
    calls("call_marker", [{ text: `ends with ${marker} inside`, after: "more" }]),
    calls("call_content", [sets.plain], { content }),
    calls("call_reasoning", [sets.plain], { reasoning }),
    calls("call_all", [sets.typed], { content, reasoning }),
    ...(layout.calls.parallel
      ? [calls("calls_two", [sets.plain, sets.typed]), calls("calls_empty", [sets.none, sets.none], { content })]
      : []),
  ];
}

/** Words that random texts are made of: what formats, languages and escapes trip over. */
const WORDS = [
  "word",
  "two words",
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  'a"b',
  "it's",
  "\\",
  "{}",
  "[1]",
  "<b>",
  "&amp;",
  "</p>",
  "é",
  "日本",
  "🚀",
  "null",
  "-1",
  ",",
  ":",
  "=",
  "|",
  "#",
  "```",
  "\u2028",
  "\u00a0",
  "%s",
  "$",
  "//",
];

/** A sequence of whole numbers below `most`, the same for the same seed (Lehmer's generator). */
function dice(seed: number): (most: number) => number {
  let state = seed * 7919 + 1;
  return (most) => {
    state = (state * 48271) % 2147483647;
    return state % most;
  };
}

/** Responses at random, the same for the same seed. */
export function randomProbes(layout: ResponseLayout, count: number, seed = 1): CheckProbe[] {
  const roll = dice(seed);
  const text = (marker = "") =>
    Array.from({ length: 1 + roll(6) }, () =>
      marker !== "" && roll(12) === 0 ? marker : WORDS[roll(WORDS.length)]!,
    ).join("");
  const prose = () => `It is ${text()} so`.replaceAll(/[<{[][^\s]*/g, "");
  const closing = layout.calls ? closingMarker(layout.calls) : "";
  const value = (depth: number): JsonInput => {
    const kind = roll(depth > 1 ? 5 : 7);
    if (kind < 2) return text(closing);
    if (kind === 2) return roll(2000) - 1000;
    if (kind === 3) return (roll(2000) - 1000) / 8;
    if (kind === 4) return roll(2) === 0;
    const length = 1 + roll(3);
    if (kind === 5) return Array.from({ length }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value(depth + 1)]));
  };
  return Array.from({ length: count }, (_, index): CheckProbe => {
    const calls = layout.calls ? roll(layout.calls.parallel ? 3 : 2) : 0;
    const args = Array.from({ length: calls }, () =>
      Object.fromEntries(Array.from({ length: roll(4) }, (_, at) => [`arg_${at}`, value(0)])),
    );
    return {
      name: `random_${seed}_${index}`,
      said: {
        ...(calls === 0 || roll(2) === 0 ? { content: prose() } : {}),
        ...(layout.reasoning && roll(2) === 0 ? { reasoning: prose() } : {}),
        ...(calls === 0 ? {} : { calls: args.map((one, at) => call(at, one)) }),
      },
      tools: args.map((one, at) => toolFor(call(at, {}).function.name, one)),
    };
  });
}

/** What closes an argument, a call or the section, as a text within an argument may hold it. */
function closingMarker({ call: elements, section }: CallsLayout): string {
  const tagged = elements.find((element) => element.kind === "tagged");
  const suffix = tagged?.values.find(({ types }) => types.includes("string"))?.suffix.trim();
  const last = elements.at(-1);
  const close = last?.kind === "text" ? last.text.trim() : section?.close.trim();
  return (suffix || close || "</tool_call>").replaceAll("{name}", "text");
}
