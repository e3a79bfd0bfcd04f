/*
 * Kimi K2
 *
 *   <|im_system|>tool_declare<|im_middle|>{tools: one line of JSON, keys sorted}<|im_end|>
 *   <|im_system|>system<|im_middle|>{system}<|im_end|>            (the default one is followed by ⏎)
 *   <|im_user|>user<|im_middle|>{text}<|im_end|>
 *   <|im_assistant|>assistant<|im_middle|>{content}<|tool_calls_section_begin|>
 *       <|tool_call_begin|>{call id}<|tool_call_argument_begin|>{JSON}<|tool_call_end|> … <|tool_calls_section_end|><|im_end|>
 *   <|im_system|>{tool's name}<|im_middle|>## Return of {call id}⏎{result}<|im_end|>
 *
 * The format has no thinking: a message's own reasoning is not written. A response that begins with `<think>` is read as
 * one that thinks.
 *
 * `patched` changes nothing: the format trims nothing, and values are JSON already.
 *
 * Differs from the published templates: call ids and tool results' ids stand as they came (older revisions number calls
 * anew), and tools are printed as the model's own tokenizer prints them, sorted and without spaces.
 */
import { type KimiK2Config, kimiK2Config } from "../configs/index.ts";
import {
  contentPieces,
  type Family,
  kimi,
  sortedToolsJson,
  spokenCall,
  taggedThinking,
  type WireFormat,
} from "../format/index.ts";
import type { SpokenResponse } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

const DEFAULT_SYSTEM = "You are Kimi, an AI assistant created by Moonshot AI.";

export const kimiK2: Family<KimiK2Config> = {
  config: kimiK2Config,
  bind(tokenizer): WireFormat {
    const chat = kimi(tokenizer, "kimi-k2");
    const spell = (response: SpokenResponse) => chat.spell({ ...response, reasoning: null });

    const writeDefaultSystem = (out: SpanWriter) =>
      chat.close(chat.open(out.at(-1), "system").scaffold(DEFAULT_SYSTEM)).scaffold("\n");

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar: chat.grammar({ spell }),
      turn: { close: chat.turnEnd, separator: "" },
      isPrefixStable: true,
      startsQuery: ({ role }) => role === "user",

      writeOpening(out, { messages, tools = [] }) {
        const { role } = messages[0];
        if (tools.length > 0 && role !== "tool_declare")
          chat.close(chat.open(out, "tool_declare").foreign(sortedToolsJson(tools)));
        if (role !== "system" && role !== "tool_declare") writeDefaultSystem(out);
      },

      writeMessages(out, { messages, continues }) {
        for (const message of messages) {
          const { index, role, name, reasoning } = message;
          const text = contentPieces(message, taggedThinking)
            .filter((piece) => typeof piece === "string")
            .join("");
          out.at(index);
          if (role === "assistant") {
            const toolCalls = message.toolCalls.map(spokenCall);
            chat
              .open(out, role)
              .sampled(spell({ reasoning, content: text, toolCalls }))
              .sampledToken(chat.turnEnd);
          } else if (role === "tool") {
            chat.close(chat.resultHead(chat.open(out, role, name || role), message).body(text));
          } else if (role === "tool_declare") {
            // A conversation may bring its own declaration (`validate: "template"`).
            chat.close(chat.open(out, role).foreign(text));
            if (index === 0 && !continues && messages[1]?.role !== "system") writeDefaultSystem(out);
          } else chat.close(chat.open(out, role).body(text));
        }
      },

      writeGenerationPrompt(out) {
        chat.open(out, "assistant");
      },
    };
  },
};
