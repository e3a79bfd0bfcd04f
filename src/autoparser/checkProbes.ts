import type { JsonInput } from "../messages/index.ts";
import type { CallsLayout, ResponseLayout } from "../parse/layout/layout.ts";
import { call, type Said } from "./probes.ts";
import type { ProbeTool } from "./types.ts";

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

/** What closes an argument, a call or the section, as a text within an argument may hold it. */
function closingMarker({ call: elements, section }: CallsLayout): string {
  const tagged = elements.find((element) => element.kind === "tagged");
  const suffix = tagged?.values.find(({ types }) => types.includes("string"))?.suffix.trim();
  const last = elements.at(-1);
  const close = last?.kind === "text" ? last.text.trim() : section?.close.trim();
  return (suffix || close || "</tool_call>").replaceAll("{name}", "text");
}
