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
 * `patched`: edge newlines of reasoning and content stay, so that a response renders to the text that it was read from.
 *
 * Differs from the published template: text parts are joined wherever they stand (the template raises on them, and
 * prints a tool message's parts as a Python list); a call without content may have `content: null`.
 */
import { type Qwen3Config, qwen3Config } from "../configs/index.ts";
import {
  chatml,
  chatmlMarkers,
  chatmlThinking,
  type Family,
  hermesCalls,
  lastQueryIndex,
  splitThinking,
  spokenCall,
  startsChatmlQuery,
  type WireFormat,
  writeHermesCalls,
  writeHermesOpening,
} from "../format/index.ts";
import { pythonLstrip, pythonStrip } from "../messages/index.ts";
import type { ResponseGrammar, SpokenResponse } from "../parse/index.ts";

const EMPTY_THINKING = "<think>\n\n</think>\n\n";

export const qwen3: Family<Qwen3Config> = {
  config: qwen3Config,
  bind(tokenizer, config): WireFormat {
    const token = chatmlMarkers(tokenizer, "qwen3");
    const chat = chatml(token);
    const prefill = config.enableThinking ? "" : EMPTY_THINKING;
    const trim = config.patched ? (text: string) => text : (text: string) => pythonStrip(text, "\n");
    const trimStart = config.patched ? (text: string) => text : (text: string) => pythonLstrip(text, "\n");

    /** An assistant's turn after its role; null reasoning writes no thinking block. */
    function spell({ reasoning, content, toolCalls }: SpokenResponse): string {
      const text = reasoning === null ? content : `<think>\n${trim(reasoning)}\n</think>\n\n${trimStart(content)}`;
      return text + writeHermesCalls(toolCalls, content !== "");
    }

    const grammar: ResponseGrammar = {
      ...chatmlThinking(token, { exact: config.patched }),
      calls: hermesCalls(token),
      spell: (response, opened) => {
        const text = spell(response);
        return opened ? text.slice("<think>\n".length) : text;
      },
    };

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar,
      turn: { close: token.turnEnd.id, separator: "\n" },
      isPrefixStable: false,
      startsQuery: startsChatmlQuery,

      writeOpening(out, conversation) {
        writeHermesOpening(out, chat, conversation);
      },

      writeMessages(out, { messages, continues }) {
        const lastQuery = lastQueryIndex(messages, startsChatmlQuery, messages.length - 1);
        messages.forEach((message, index) => {
          out.at(index);
          switch (message.role) {
            case "system":
              if (index > 0 || continues) chat.turn(out, "system", message.text);
              return;
            case "user":
              chat.turn(out, "user", message.text);
              return;
            case "assistant": {
              const isLast = index === messages.length - 1;
              const { reasoning, content } = splitThinking(message);
              const keeps = index > lastQuery && (isLast || reasoning !== "");
              const toolCalls = message.toolCalls.map(spokenCall);
              const text = spell({ reasoning: keeps ? reasoning : null, content, toolCalls });
              const prefilled = prefill !== "" && text.startsWith(prefill) ? prefill : "";
              chat.open(out, "assistant").scaffold(prefilled).sampled(text.slice(prefilled.length));
              chat.closeSampled(out);
              return;
            }
            case "tool":
              chat.toolResult(out, messages, index);
          }
        });
      },

      writeGenerationPrompt(out) {
        chat.open(out, "assistant").scaffold(prefill);
      },
    };
  },
};
