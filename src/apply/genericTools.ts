import { plainObject } from "../autoparser/findings/toldFormats.ts";
import {
  type Content,
  contentText,
  type JsonInput,
  type Message,
  pythonJson,
  type ToolCall,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import type { CallsLayout } from "../parse/index.ts";

/*
 * A format for models whose template has none, declared in the prompt:
 *
 *   <tool_call>
 *   {"name": "get_weather", "arguments": {"city": "Paris"}}
 *   </tool_call>
 *
 * and results, in a user's message:
 *
 *   <tool_response>
 *   21 °C
 *   </tool_response>
 */

const open = "<tool_call>\n";
const close = "\n</tool_call>";

export const genericCalls: CallsLayout = {
  lead: "\n",
  section: null,
  separator: "\n",
  call: [{ kind: "text", text: open }, plainObject, { kind: "text", text: close }],
  parallel: true,
};

/** What the system message says of the tools. */
export function describedTools(tools: readonly ToolSpec[]): string {
  const lines = tools.map((tool) => pythonJson(toolFunction(tool) as unknown as JsonInput));
  return [
    "# Tools",
    "",
    "These functions can be called, each described as JSON on a line of its own:",
    "<tools>",
    ...lines,
    "</tools>",
    "",
    "To call one, write its name and its arguments as a JSON object between <tool_call> tags, several calls one after another:",
    `${open}{"name": "<function's name>", "arguments": {<arguments>}}${close}`,
    "Results come between <tool_response> tags.",
  ].join("\n");
}

/** The conversation with tools, calls and results written as text. */
export function withGenericTools(messages: readonly Message[], tools: readonly ToolSpec[]): readonly Message[] {
  const told = describedTools(tools);
  const [first, ...rest] = messages;
  const hasSystem = first?.role === "system" || first?.role === "developer";
  const opening: Message = hasSystem
    ? { ...first, content: joined(first.content ?? null, told) }
    : { role: "system", content: told };
  const written: Message[] = [opening];
  let answers: string[] = [];
  const answered = () => {
    if (answers.length > 0) written.push({ role: "user", content: answers.join("\n") });
    answers = [];
  };
  for (const message of hasSystem ? rest : messages) {
    if (message.role === "tool") {
      answers.push(`<tool_response>\n${contentText(message)}\n</tool_response>`);
    } else if (message.role === "user" && answers.length > 0) {
      // Many templates want users and assistants to take turns.
      written.push({ ...message, content: before(answers.join("\n"), message.content ?? null) });
      answers = [];
    } else {
      answered();
      written.push(message.tool_calls?.length ? withCallsAsText(message) : message);
    }
  }
  answered();
  return written;
}

function withCallsAsText(message: Message): Message {
  const { tool_calls: calls, ...others } = message;
  const texts = calls!.map((call) => `${open}${callText(call)}${close}`);
  const lead = contentText(message) === "" ? "" : genericCalls.lead;
  return { ...others, content: appended(message.content ?? null, lead + texts.join(genericCalls.separator)) };
}

function callText(call: ToolCall): string {
  const { name, arguments: args = {} } = (call.function ?? call) as {
    readonly name: string;
    readonly arguments?: unknown;
  };
  const json = typeof args === "string" ? args.trim() || "{}" : pythonJson(args as JsonInput);
  return `{"name": ${pythonJson(name)}, "arguments": ${json}}`;
}

const joined = (content: Content, text: string): Content =>
  contentText({ content }) === "" ? text : appended(content, `\n\n${text}`);

const appended = (content: Content, text: string): Content =>
  Array.isArray(content) ? [...content, { type: "text", text }] : contentText({ content }) + text;

const before = (text: string, content: Content): Content =>
  Array.isArray(content)
    ? [{ type: "text", text: `${text}\n\n` }, ...content]
    : contentText({ content }) === ""
      ? text
      : `${text}\n\n${contentText({ content })}`;
