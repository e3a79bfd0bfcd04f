import type { Message, ToolCall, ToolSpec } from "../messages/index.ts";
import { probeTools, quickProbes } from "./quickProbes.ts";
import type { VerifyProbe } from "./types.ts";

const COUNT = 60;
const SEED = 20_177;

const pieces = [
  "yes",
  "The answer is 42.",
  " ",
  "\n",
  "\n\n",
  "  indented",
  "- a list\n- of two",
  "Größe",
  "東京",
  "🙂",
  '"quoted"',
  "back\\slash",
  "{a: 1}",
  "x < y && y > z",
  "'single'",
  "1.0",
  "\t",
  "`code`",
] as const;

const moreTools: readonly ToolSpec[] = [
  ...probeTools,
  {
    type: "function",
    function: { name: "now", description: "The time.", parameters: { type: "object", properties: {} } },
  },
  {
    type: "function",
    function: {
      name: "book",
      description: "Books a table.\nTwo lines.",
      parameters: {
        type: "object",
        properties: {
          guests: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
          smoking: { type: "boolean", default: false },
        },
      },
    },
  },
];

const values = [
  "text",
  "zwei Wörter",
  'a "b"',
  3,
  -2.5,
  true,
  false,
  ["x", 1],
  { k: "v", n: { m: [] } },
  "",
  "a\nb",
] as const;

/** The quick probes, and random conversations that are always the same. */
export function fullProbes(): readonly VerifyProbe[] {
  const random = generator(SEED);
  const more = Array.from({ length: COUNT - quickProbes.length }, (_, index) => conversation(random, index));
  return [...quickProbes, ...more];
}

interface Random {
  below(limit: number): number;
  chance(percent: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32: small, and the same everywhere. */
function generator(seed: number): Random {
  let state = seed;
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  return { below, chance: (percent) => below(100) < percent, pick: (items) => items[below(items.length)]! };
}

function conversation(random: Random, index: number): VerifyProbe {
  const tools = random.chance(60) ? moreTools.slice(0, 1 + random.below(moreTools.length)) : [];
  const messages: Message[] = random.chance(50) ? [{ role: "system", content: text(random) }] : [];
  const queries = 1 + random.below(3);
  for (let query = 0; query < queries; query++) {
    messages.push({ role: "user", content: text(random) });
    if (tools.length > 0)
      for (let cycle = random.below(3); cycle > 0; cycle--) messages.push(...callCycle(random, tools));
    if (query < queries - 1 || random.chance(40)) messages.push(said(random));
  }
  const addGenerationPrompt = messages.at(-1)!.role !== "assistant";
  return { name: `random conversation ${index + 1}`, messages, tools, addGenerationPrompt };
}

/** Words with something in them: an empty text is told from none in ways of its own. */
function text(random: Random): string {
  const middle = Array.from({ length: random.below(4) }, () => random.pick(pieces));
  return [...middle, `word${random.below(100)}`, ...(random.chance(50) ? [random.pick(pieces)] : [])].join("");
}

function said(random: Random): Message {
  return { role: "assistant", ...thinking(random), content: text(random) };
}

function thinking(random: Random): { reasoning_content?: string } {
  return random.chance(50) ? { reasoning_content: text(random) } : {};
}

function callCycle(random: Random, tools: readonly ToolSpec[]): Message[] {
  const calls = Array.from({ length: random.chance(30) ? 2 : 1 }, (_, at): ToolCall => {
    const { name } = random.pick(tools).function as { name: string };
    return { id: `call${random.below(10)}000${at}`, type: "function", function: { name, arguments: args(random) } };
  });
  const results = calls.map(
    ({ id, function: called }): Message => ({
      role: "tool",
      tool_call_id: id!,
      name: called!.name!,
      content: text(random),
    }),
  );
  const content = random.chance(30) ? text(random) : "";
  return [{ role: "assistant", ...thinking(random), content, tool_calls: calls }, ...results];
}

function args(random: Random): Record<string, (typeof values)[number]> {
  const names = ["city", "query", "days", "guests", "smoking"].filter(() => random.chance(40));
  return Object.fromEntries(names.map((name) => [name, random.pick(values)]));
}
