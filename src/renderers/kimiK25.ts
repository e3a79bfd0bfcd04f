/*
 * Kimi K2.5 and K2.6
 *
 *   <|im_system|>tool_declare<|im_middle|>{tools in the manner of TypeScript}<|im_end|>
 *   <|im_system|>system<|im_middle|>{system}<|im_end|>
 *   <|im_user|>user<|im_middle|>{text}<|media_begin|>image<|media_content|><|media_pad|><|media_end|>⏎<|im_end|>
 *   <|im_assistant|>assistant<|im_middle|><think>{reasoning}</think>{content}<|tool_calls_section_begin|>
 *       <|tool_call_begin|>{call id}<|tool_call_argument_begin|>{JSON}<|tool_call_end|> … <|tool_calls_section_end|><|im_end|>
 *   <|im_system|>tool<|im_middle|>## Return of {call id}⏎{result}<|im_end|>
 *
 * A message's `name` stands in its role's place. Thinking stays in the turns after the last one that calls no tool; every
 * other turn, a last answer too, has an empty block. The generation prompt opens the block, or closes an empty one
 * (`thinking: false`). An image is one placeholder, whatever its size. `<think>` may be one token or several.
 *
 * Tools whose schemas cannot be declared (`oneOf`, no type) are printed as JSON, as the model's own tokenizer does.
 *
 * `patched`: thinking inside the content keeps the newlines after it.
 *
 * Differs from the published template: parts of videos are refused.
 */
import { type KimiK25Config, kimiK25Config } from "../configs/index.ts";
import {
  contentPieces,
  declareTools,
  type Family,
  kimi,
  markers,
  sortedToolsJson,
  spokenCall,
  type Thinking,
  taggedThinking,
  thinkingPart,
  type WireFormat,
} from "../format/index.ts";
import { type ImageResolver, kimiImages } from "../images/index.ts";
import { type ConversationMessage, pythonLstrip } from "../messages/index.ts";
import type { SpanWriter } from "../tokens/index.ts";

export const kimiK25: Family<KimiK25Config> = {
  config: kimiK25Config,
  bind(tokenizer, config): WireFormat {
    const chat = kimi(tokenizer, "kimi-k2.5");
    const media = markers(tokenizer, "kimi-k2.5", {
      open: "<|media_begin|>",
      body: "<|media_content|>",
      pad: "<|media_pad|>",
      close: "<|media_end|>",
    });
    const endOfText = tokenizer.tokenToId("<|endoftext|>");
    const stops = endOfText === undefined ? [chat.turnEnd] : [chat.turnEnd, endOfText];
    const { thinkOpen, thinkClose } = chat;
    const prefill = config.thinking ? thinkOpen.text : thinkOpen.text + thinkClose.text;
    // Where its end is no token it may merge with the words after it; then the model's share cannot be told apart.
    const prefillIsTokens = (config.thinking ? thinkOpen : thinkClose).id !== undefined;

    function writeContent(out: SpanWriter, message: ConversationMessage, images: ImageResolver): void {
      for (const piece of contentPieces(message, taggedThinking)) {
        if (typeof piece === "string") out.body(piece);
        else {
          out.token(media.open.id).scaffold("image").token(media.body.id);
          out.image(media.pad.id, images.resolve(piece.part, piece.at)).token(media.close.id).scaffold("\n");
        }
      }
    }

    return {
      roles: ["system", "user", "assistant", "tool"],
      grammar: chat.grammar({ stops, spell: chat.spell }),
      turn: { close: chat.turnEnd, separator: "" },
      isPrefixStable: false,
      startsQuery: ({ role }) => role === "user",
      images: { placeholder: media.pad.id, processor: kimiImages() },

      writeOpening(out, { tools = [] }) {
        if (tools.length === 0) return;
        chat.close(chat.open(out, "tool_declare").foreign(declareTools(tools) ?? sortedToolsJson(tools)));
      },

      writeMessages(out, { messages }, { images }) {
        const lastAnswer = messages.findLastIndex((one) => one.role === "assistant" && one.toolCalls.length === 0);
        for (const message of messages) {
          const { index, role, name } = message;
          chat.open(out.at(index), role, name || role);
          if (role === "assistant") {
            const { reasoning, content } = thinkingOf(message, config.patched);
            const toolCalls = message.toolCalls.map(spokenCall);
            const text = chat.spell({ reasoning: index > lastAnswer ? reasoning : "", content, toolCalls });
            const prefilled = prefillIsTokens && text.startsWith(prefill) ? prefill : "";
            out.scaffold(prefilled).sampled(text.slice(prefilled.length)).sampledToken(chat.turnEnd);
          } else {
            if (role === "tool") chat.resultHead(out, message);
            writeContent(out, message, images);
            chat.close(out);
          }
        }
      },

      writeGenerationPrompt(out) {
        chat.open(out, "assistant").scaffold(prefill);
      },
    };
  },
};

/** Thinking in its own field, or in parts, or before the content's first closing tag, after the first opening one there. */
function thinkingOf({ reasoning, content, text }: ConversationMessage, patched: boolean): Thinking {
  if (reasoning !== null) return { reasoning, content: text };
  if (Array.isArray(content)) {
    return { reasoning: content.map((part) => thinkingPart(part) ?? "").join(""), content: text };
  }
  const close = text.indexOf("</think>");
  if (close < 0) return { reasoning: "", content: text };
  const open = text.slice(0, close).indexOf("<think>");
  const start = open < 0 ? 0 : open + "<think>".length;
  const rest = text.slice(close + "</think>".length);
  return { reasoning: text.slice(start, close), content: patched ? rest : pythonLstrip(rest, "\n") };
}
