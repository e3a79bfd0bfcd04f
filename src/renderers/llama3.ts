/*
 * Llama 3.2 (headers, one bare JSON call)
 *
 *   <|begin_of_text|><|start_header_id|>system<|end_header_id|>⏎⏎[Environment: ipython⏎]Cutting Knowledge Date: …⏎Today Date: …⏎⏎{system}<|eot_id|>
 *   <|start_header_id|>user<|end_header_id|>⏎⏎[Given the following functions, …⏎⏎{tool}⏎⏎{tool}⏎⏎]{text}<|eot_id|>
 *   <|start_header_id|>assistant<|end_header_id|>⏎⏎{content}<|eot_id|>
 *   <|start_header_id|>assistant<|end_header_id|>⏎⏎{"name": "…", "parameters": {…}}<|eot_id|>
 *   <|start_header_id|>ipython<|end_header_id|>⏎⏎{result as JSON}<|eot_id|>
 *
 * Tools stand in the first user message, or in the system block (`toolsInUserMessage: false`). A turn is content or one
 * call; what is said beside a call is not written. There is no thinking.
 *
 * `patched`: content keeps its edge white space, and arguments that come as JSON text stay to the letter.
 *
 * Differs from the published template: text parts are joined wherever they stand but in tool results (the template prints
 * other messages' parts as a Python list, and their null as `None`); an empty or null list of calls is none; tools stand in
 * a user's message only (the template puts them into whatever message comes first, and prints that as a user's).
 */
import { type Llama3Config, llama3Config } from "../configs/index.ts";
import { type Family, markers, spokenCall, toolValue, type WireFormat } from "../format/index.ts";
import {
  type Conversation,
  type ConversationMessage,
  type JsonInput,
  messageError,
  pythonJson,
  pythonStrip,
  tryParseJson,
} from "../messages/index.ts";
import { type CallElement, jsonCallBody, type ResponseGrammar, type SpokenResponse } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

const CALL_FORMAT =
  'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.' +
  "Do not use variables.\n\n";
const TOOLS_FOR_SYSTEM =
  "You have access to the following functions. To call a function, please respond with JSON for a function call." +
  CALL_FORMAT;
const TOOLS_FOR_USER =
  "Given the following functions, please respond with a JSON for a function call with its proper arguments " +
  `that best answers the given prompt.\n\n${CALL_FORMAT}`;

const CALL: CallElement = {
  kind: "object",
  name: ["name"],
  arguments: ["parameters"],
  id: null,
  order: [{ key: "name" }, { key: "parameters" }],
  style: { itemSeparator: ", ", keySeparator: ": ", indent: null },
};

export const llama3: Family<Llama3Config> = {
  config: llama3Config,
  bind(tokenizer, config): WireFormat {
    const token = markers(tokenizer, "llama-3", {
      begin: "<|begin_of_text|>",
      headerOpen: "<|start_header_id|>",
      headerClose: "<|end_header_id|>",
      turnEnd: "<|eot_id|>",
      endOfText: "<|end_of_text|>",
      messageEnd: "<|eom_id|>",
    });
    const trim = config.patched ? (text: string) => text : (text: string) => pythonStrip(text);
    const reprint = config.patched ? (text: string) => text : reprinted;

    const open = (out: SpanWriter, role: string) =>
      out.token(token.headerOpen.id).foreign(role).token(token.headerClose.id).scaffold("\n\n");
    const close = (out: SpanWriter) => out.token(token.turnEnd.id);

    function writeTools(out: SpanWriter, introduction: string, { tools = [] }: Conversation): void {
      out.scaffold(introduction);
      for (const tool of tools) out.foreign(pythonJson(toolValue(tool), { indent: 4 })).scaffold("\n\n");
    }

    /** An assistant's turn after its header. */
    function spell({ content, toolCalls: [call] }: SpokenResponse): string {
      return call ? `{"name": "${call.name}", "parameters": ${reprint(call.argumentsText)}}` : trim(content);
    }

    const grammar: ResponseGrammar = {
      kind: "bare",
      stops: [token.turnEnd.id, token.endOfText.id, token.messageEnd.id],
      turnStart: token.headerOpen.id,
      opening: "{",
      body: jsonCallBody({ nameField: "name", argumentsField: ["parameters", "arguments"] }),
      call: [CALL],
      spell,
    };

    return {
      roles: ["system", "user", "assistant", "tool", "ipython"],
      grammar,
      turn: { close: token.turnEnd.id, separator: "" },
      isPrefixStable: true,
      startsQuery: ({ role }) => role === "user",

      writeOpening(out, conversation) {
        const { messages, tools } = conversation;
        const system = messages[0].role === "system" ? messages[0] : undefined;
        open(out.token(token.begin.id).at(system ? 0 : -1), "system");
        if (tools) out.scaffold("Environment: ipython\n");
        out.scaffold(`Cutting Knowledge Date: December 2023\nToday Date: ${config.dateString}\n\n`);
        if (tools && !config.toolsInUserMessage) writeTools(out, TOOLS_FOR_SYSTEM, conversation);
        if (system) out.body(pythonStrip(system.text));
        close(out);
      },

      writeMessages(out, conversation) {
        const { messages, continues } = conversation;
        const first = !continues && messages[0].role === "system" ? 1 : 0;
        const withTools = conversation.tools && config.toolsInUserMessage && !continues ? first : -1;
        if (withTools >= 0) checkPlaceOfTools(messages, withTools);
        for (const message of messages.slice(first)) {
          const { role, toolCalls } = message;
          out.at(message.index);
          if (role === "assistant") {
            checkOneCall(message);
            const content = message.text;
            open(out, role).sampled(spell({ reasoning: null, content, toolCalls: toolCalls.map(spokenCall) }));
            out.sampledToken(token.turnEnd.id);
          } else if (role === "tool" || role === "ipython") close(open(out, "ipython").body(resultText(message)));
          else {
            open(out, role);
            if (message.index === withTools) writeTools(out, TOOLS_FOR_USER, conversation);
            close(out.body(pythonStrip(message.text)));
          }
        }
      },

      writeGenerationPrompt(out) {
        open(out, "assistant");
      },
    };
  },
};

/** Arguments as the template prints them, whose values it has and not their text; text that is no JSON is a string. */
function reprinted(argumentsText: string): string {
  const read = tryParseJson(argumentsText);
  return pythonJson(read.ok ? read.value : argumentsText);
}

/** A result is printed as JSON, text and parts, too. */
function resultText({ content = null }: ConversationMessage): string {
  return content === null ? "None" : pythonJson(content as JsonInput);
}

function checkOneCall({ index, toolCalls }: ConversationMessage): void {
  if (toolCalls.length <= 1) return;
  throw messageError({
    code: "invalid_message",
    index,
    field: `messages[${index}].tool_calls`,
    expected: "one call, which is all that this format has in a message",
    actual: toolCalls.map((call) => call.raw),
    remedy: "Give every call a message of its own, with its result after it.",
  });
}

function checkPlaceOfTools(messages: readonly ConversationMessage[], index: number): void {
  const role = messages[index]?.role;
  if (role === "user") return;
  throw messageError({
    code: "invalid_message",
    index,
    field: `messages[${index}].role`,
    expected: '"user", because the tools stand in the first message after the system message',
    actual: role,
    remedy: "Begin with a user message, or set toolsInUserMessage: false.",
  });
}
