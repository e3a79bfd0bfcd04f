import type { Conversation, ConversationMessage } from "../messages/index.ts";
import { pythonJson } from "../messages/index.ts";
import {
  type CallElement,
  type CallGrammar,
  endsInJsonString,
  jsonCallBody,
  type Marker,
  type SpokenCall,
} from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import type { Chatml } from "./chatml.ts";
import { toolValue } from "./toolValue.ts";

/*
 * Tools and calls as the templates of Qwen3 have them:
 *
 *   <|im_start|>system⏎{system}⏎⏎# Tools … <tools>⏎{tool}⏎</tools> … <|im_end|>⏎
 *   <tool_call>⏎{"name": "…", "arguments": {…}}⏎</tool_call>
 */

const TOOLS_HEAD =
  "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
  "You are provided with function signatures within <tools></tools> XML tags:\n<tools>";
const TOOLS_TAIL =
  "\n</tools>\n\nFor each function call, return a json object with function name and arguments " +
  "within <tool_call></tool_call> XML tags:\n" +
  '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>';

/** The system block: the first message, if it is the system's, and the tools. */
export function writeHermesOpening(
  out: SpanWriter,
  chat: Chatml,
  { messages, tools = [] }: Conversation,
  textOf: (system: ConversationMessage) => string = ({ text }) => text,
): void {
  const system = messages[0].role === "system" ? messages[0] : undefined;
  if (!system && tools.length === 0) return;
  chat.open(out.at(system ? 0 : -1), "system");
  if (system) out.body(textOf(system));
  if (tools.length > 0) {
    out.scaffold(system ? `\n\n${TOOLS_HEAD}` : TOOLS_HEAD);
    for (const tool of tools) out.scaffold("\n").foreign(pythonJson(toolValue(tool)));
    out.scaffold(TOOLS_TAIL);
  }
  chat.close(out);
}

/** The calls of a turn, a newline between; `separated`: another one before the first. */
export function writeHermesCalls(calls: readonly SpokenCall[], separated: boolean): string {
  const texts = calls.map(
    (call) => `<tool_call>\n{"name": "${call.name}", "arguments": ${call.argumentsText}}\n</tool_call>`,
  );
  return texts.length > 0 && separated ? `\n${texts.join("\n")}` : texts.join("\n");
}

const CALL: CallElement = {
  kind: "object",
  name: ["name"],
  arguments: ["arguments"],
  id: null,
  order: [{ key: "name" }, { key: "arguments" }],
  style: { itemSeparator: ", ", keySeparator: ": ", indent: null },
};

/** How these calls are read. */
export function hermesCalls(token: { readonly callOpen: Marker; readonly callClose: Marker }): CallGrammar {
  return {
    open: token.callOpen,
    close: token.callClose,
    separator: "\n",
    body: jsonCallBody({ nameField: "name", argumentsField: "arguments" }),
    endsInside: ({ text }) => endsInJsonString(text),
    form: { inside: [{ kind: "text", text: "\n" }, CALL, { kind: "text", text: "\n" }], between: "\n" },
  };
}
