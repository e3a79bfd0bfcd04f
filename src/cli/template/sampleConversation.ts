import type { Message, ToolSpec } from "../../messages/index.ts";
import type { TemplateCapabilities } from "../../template/index.ts";
import type { Conversation } from "./readConversation.ts";

const system: Message = { role: "system", content: "You are a helpful assistant." };
const question: Message = { role: "user", content: "What is the weather in Paris?" };

const weather: ToolSpec = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Says what the weather is in a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string", description: "Its name" } },
      required: ["city"],
    },
  },
};

const call: Message = {
  role: "assistant",
  content: "",
  // Nine letters and digits: some templates take no other id.
  tool_calls: [{ id: "call00001", type: "function", function: { name: "get_weather", arguments: { city: "Paris" } } }],
};

const result: Message = { role: "tool", tool_call_id: "call00001", name: "get_weather", content: "18 °C, sunny" };

/** A conversation to show a template with: a call and its result where the template writes calls and no tools are given. */
export function sampleConversation(
  { supportsToolCalls, supportsTools }: TemplateCapabilities,
  tools: readonly ToolSpec[] | undefined,
): Conversation {
  if (tools !== undefined || !supportsToolCalls) return { messages: [system, question], tools };
  return { messages: [system, question, call, result], tools: supportsTools ? [weather] : undefined };
}
