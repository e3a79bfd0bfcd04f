/*
 * Qwen3 (ChatML with JSON calls)
 *
 *   <|im_start|>system⏎{system}⏎⏎# Tools … <tools>⏎{tool}⏎</tools> … <|im_end|>⏎
 *   <|im_start|>user⏎{text}<|im_end|>⏎
 *   <|im_start|>assistant⏎<think>⏎{reasoning}⏎</think>⏎⏎{content}⏎<tool_call>⏎{"name": "…", "arguments": {…}}⏎</tool_call><|im_end|>⏎
 *   <|im_start|>user⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎…⏎</tool_response><|im_end|>⏎
 *
 * Thinking stays in the assistant turns after the last user query, where it is not empty or the turn is the last; before
 * that query it is dropped. With `enableThinking: false` the generation prompt closes an empty thinking block.
 *
 * Differs from the published template: text parts are joined wherever they stand (the template raises on them, and
 * prints a tool message's parts as a Python list); a call without content may have `content: null`.
 */
import { type Qwen3Config, qwen3Config } from "../configs/index.ts";
import { type Family, markers, toolValue, type WireFormat } from "../format/index.ts";
import { type ConversationMessage, pythonJson, pythonLstrip, pythonRstrip, pythonStrip } from "../messages/index.ts";
import { jsonCallBody, type ResponseGrammar } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

const TOOLS_HEAD =
  "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
  "You are provided with function signatures within <tools></tools> XML tags:\n<tools>";
const TOOLS_TAIL =
  "\n</tools>\n\nFor each function call, return a json object with function name and arguments " +
  "within <tool_call></tool_call> XML tags:\n" +
  '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>';
const EMPTY_THINKING = "<think>\n\n</think>\n\n";

export const qwen3: Family<Qwen3Config> = {
  config: qwen3Config,
  bind(tokenizer, config): WireFormat {
    const token = markers(tokenizer, "qwen3", {
      turnStart: "<|im_start|>",
      turnEnd: "<|im_end|>",
      endOfText: "<|endoftext|>",
      thinkOpen: "<think>",
      thinkClose: "</think>",
      callOpen: "<tool_call>",
      callClose: "</tool_call>",
    });
    const prefill = config.enableThinking ? "" : EMPTY_THINKING;

    const grammar: ResponseGrammar = {
      stops: [token.turnEnd.id, token.endOfText.id],
      turnStart: token.turnStart.id,
      reasoning: {
        open: token.thinkOpen,
        close: token.thinkClose,
        padding: "\n",
        separator: "\n\n",
        whenUnknown: "closed",
      },
      calls: {
        open: token.callOpen,
        close: token.callClose,
        padding: "\n",
        separator: "\n",
        body: jsonCallBody({ nameField: "name", argumentsField: "arguments", write: writeCall }),
      },
    };

    const openTurn = (out: SpanWriter, role: string) => out.token(token.turnStart.id).scaffold(`${role}\n`);
    const closeTurn = (out: SpanWriter) => out.token(token.turnEnd.id).scaffold("\n");

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar,
      turn: { close: token.turnEnd.id, separator: "\n" },
      isPrefixStable: false,
      startsQuery,

      writeOpening(out, { messages, tools = [] }) {
        const system = messages[0].role === "system" ? messages[0] : undefined;
        if (!system && tools.length === 0) return;
        openTurn(out.at(system ? 0 : -1), "system");
        if (system) out.body(system.text);
        if (tools.length > 0) {
          out.scaffold(system ? `\n\n${TOOLS_HEAD}` : TOOLS_HEAD);
          for (const tool of tools) out.scaffold("\n").foreign(pythonJson(toolValue(tool)));
          out.scaffold(TOOLS_TAIL);
        }
        closeTurn(out);
      },

      writeMessages(out, conversation) {
        const { messages, continues } = conversation;
        const lastQuery = lastQueryIndex(messages);
        messages.forEach((message, index) => {
          out.at(index);
          switch (message.role) {
            case "system":
              if (index === 0 && !continues) return;
              closeTurn(openTurn(out, "system").body(message.text));
              return;
            case "user":
              closeTurn(openTurn(out, "user").body(message.text));
              return;
            case "assistant": {
              const isLast = index === messages.length - 1;
              const text = assistantText(message, index > lastQuery, isLast);
              const prefilled = prefill !== "" && text.startsWith(prefill) ? prefill : "";
              openTurn(out, "assistant").scaffold(prefilled).sampled(text.slice(prefilled.length));
              out.sampledToken(token.turnEnd.id).scaffold("\n");
              return;
            }
            case "tool":
              if (messages[index - 1]?.role !== "tool") out.token(token.turnStart.id).scaffold("user");
              out.scaffold("\n<tool_response>\n").body(message.text).scaffold("\n</tool_response>");
              if (messages[index + 1]?.role !== "tool") closeTurn(out);
          }
        });
      },

      writeGenerationPrompt(out) {
        openTurn(out, "assistant").scaffold(prefill);
      },
    };
  },
};

function writeCall(name: string, argumentsText: string): string {
  return `{"name": "${name}", "arguments": ${argumentsText}}`;
}

/** A user message that is nothing but a tool's response belongs to the query before it. */
function startsQuery({ role, text }: ConversationMessage): boolean {
  return role === "user" && !(text.startsWith("<tool_response>") && text.endsWith("</tool_response>"));
}

/** The last message when there is no user query at all: then no turn keeps its thinking. */
function lastQueryIndex(messages: readonly ConversationMessage[]): number {
  const index = messages.findLastIndex(startsQuery);
  return index < 0 ? messages.length - 1 : index;
}

function assistantText(message: ConversationMessage, keepsThinking: boolean, isLast: boolean): string {
  const { reasoning, content } = splitThinking(message);
  let text = content;
  if (keepsThinking && (isLast || reasoning !== "")) {
    text = `<think>\n${pythonStrip(reasoning, "\n")}\n</think>\n\n${pythonLstrip(content, "\n")}`;
  }
  message.toolCalls.forEach((call, index) => {
    if (index > 0 || content !== "") text += "\n";
    const args = typeof call.arguments === "string" ? call.arguments : pythonJson(call.arguments ?? {});
    text += `<tool_call>\n${writeCall(call.name, args)}\n</tool_call>`;
  });
  return text;
}

/** Thinking stands in its own field, or inside the content up to the last closing marker. */
function splitThinking(message: ConversationMessage): { reasoning: string; content: string } {
  const content = message.text;
  if (message.reasoning !== null) return { reasoning: message.reasoning, content };
  if (!content.includes("</think>")) return { reasoning: "", content };
  const parts = content.split("</think>");
  const thinking = pythonRstrip(parts[0], "\n").split("<think>").at(-1) ?? "";
  return { reasoning: pythonLstrip(thinking, "\n"), content: pythonLstrip(parts.at(-1) ?? "", "\n") };
}
