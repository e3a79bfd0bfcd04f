import type { Message, ToolSpec } from "../messages/index.ts";
import type { VerifyProbe } from "./types.ts";

const weather: ToolSpec = {
  type: "function",
  function: {
    name: "get_weather",
    description: 'The weather of a place; "now" is the default time.',
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", description: "Name of the place, such as Zürich" },
        days: { type: "integer", minimum: 1, maximum: 14 },
        units: { type: "string", enum: ["celsius", "fahrenheit"] },
        at: { type: "object", properties: { hour: { type: "number" } }, required: ["hour"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["city"],
    },
  },
};

const search: ToolSpec = {
  type: "function",
  function: {
    name: "search",
    description: "Finds pages.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  },
};

export const probeTools: readonly ToolSpec[] = [weather, search];

const system: Message = { role: "system", content: "You are a careful assistant." };
const question: Message = { role: "user", content: "What is the weather in Zürich?" };
const answer: Message = { role: "assistant", content: "It is sunny." };
const thanks: Message = { role: "user", content: "Thanks. And tomorrow?" };
const thought: Message = {
  role: "assistant",
  reasoning_content: "The user asks for the weather.\nI know it.",
  content: "It is sunny.",
};
const call: Message = {
  role: "assistant",
  reasoning_content: "I should look that up.",
  content: "",
  tool_calls: [
    {
      id: "call00001",
      type: "function",
      function: {
        name: "get_weather",
        arguments: { city: "Zürich", days: 3, at: { hour: 7.5 }, tags: ["sun", "rain"] },
      },
    },
  ],
};
const calls: Message = {
  role: "assistant",
  reasoning_content: "Two things are to be found out.",
  content: "Let me look.",
  tool_calls: [
    { id: "call00001", type: "function", function: { name: "get_weather", arguments: { city: "Bern" } } },
    { id: "call00002", type: "function", function: { name: "search", arguments: { query: 'föhn "today"' } } },
  ],
};
const result: Message = {
  role: "tool",
  tool_call_id: "call00001",
  name: "get_weather",
  content: '{"temperature": 21.5}',
};
const found: Message = { role: "tool", tool_call_id: "call00002", name: "search", content: "1. Föhn\n2. Wind" };
const edgy: Message = { role: "user", content: "\n  Grüße, 世界! 🤖 e\u0301 \t\n" };
const edgyAnswer: Message = { role: "assistant", content: "Salü 👋\n\n- 一\n- due" };

function probe(name: string, messages: readonly Message[], tools: readonly ToolSpec[], prompts: boolean): VerifyProbe {
  return { name, messages, tools, addGenerationPrompt: prompts };
}

/** Few conversations with all that most conversations have. They ask for nothing that a template may print in odd ways. */
export const quickProbes: readonly VerifyProbe[] = [
  probe("a question, generation prompt", [question], [], true),
  probe("system message", [system, question], [], true),
  probe("several turns", [system, question, answer, thanks, answer], [], false),
  probe("reasoning in the last turn", [question, thought], [], false),
  probe("reasoning in an earlier turn", [question, thought, thanks], [], true),
  probe("tools", [system, question], probeTools, true),
  probe("tools, call and result", [question, call, result], probeTools, true),
  probe("calls in an earlier turn", [system, question, call, result, thought, thanks], [weather], true),
  probe("parallel calls", [question, calls, result, found, thought], probeTools, false),
  probe("other scripts, white space at the edges", [edgy, edgyAnswer, edgy], [], true),
];
