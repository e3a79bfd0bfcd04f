/*
 * Qwen3-VL (ChatML with images and JSON calls)
 *
 *   <|im_start|>system⏎{system}⏎⏎# Tools … <tools>⏎{tool}⏎</tools> … <|im_end|>⏎
 *   <|im_start|>user⏎{text}<|vision_start|><|image_pad|>…<|vision_end|>{text}<|im_end|>⏎
 *   <|im_start|>assistant⏎{content}⏎<tool_call>⏎{"name": "…", "arguments": {…}}⏎</tool_call><|im_end|>⏎
 *   <|im_start|>user⏎<tool_response>⏎{result, images}⏎</tool_response>⏎<tool_response>⏎…⏎</tool_response><|im_end|>⏎
 *
 * No turn has its thinking in the history; a response's thinking is read and told apart. With `addVisionId` each image is
 * preceded by `Picture {n}: `, counted through the conversation.
 *
 * `patched` changes nothing: content and arguments are written as they are anyway.
 *
 * Differs from the published template: images in system and assistant messages are refused (the template leaves them
 * out), and so, with strict validation, is a system message after the first (it leaves that out, too).
 */
import { type Qwen3VlConfig, qwen3VlConfig } from "../configs/index.ts";
import {
  chatml,
  chatmlMarkers,
  chatmlThinking,
  contentPieces,
  contentWithoutImages,
  dropPart,
  type Family,
  hermesCalls,
  misplacedSystem,
  spokenCall,
  startsChatmlQuery,
  unknownRole,
  visionImages,
  type WireFormat,
  writeHermesCalls,
  writeHermesOpening,
} from "../format/index.ts";
import { qwenImages } from "../images/index.ts";
import type { ConversationMessage } from "../messages/index.ts";

const ROLES = ["system", "user", "assistant", "tool"];

export const qwen3Vl: Family<Qwen3VlConfig> = {
  config: qwen3VlConfig,
  bind(tokenizer, config): WireFormat {
    const token = chatmlMarkers(tokenizer, "qwen3-vl");
    const chat = chatml(token);
    const vision = visionImages(tokenizer, "qwen3-vl", { processor: qwenImages(), numbered: config.addVisionId });

    return {
      roles: ROLES,
      grammar: {
        ...chatmlThinking(token, { exact: config.patched }),
        calls: hermesCalls(token),
        spell: ({ content, toolCalls }) => content + writeHermesCalls(toolCalls, content !== ""),
      },
      turn: { close: token.turnEnd.id, separator: "\n" },
      isPrefixStable: true,
      startsQuery: startsChatmlQuery,
      images: vision.format,
      refuse: vision.refuse,

      writeOpening(out, conversation) {
        writeHermesOpening(out, chat, conversation, spokenText);
      },

      writeMessages(out, { messages, continues }, context) {
        const writeBody = vision.writer(context);
        messages.forEach((message, index) => {
          out.at(index);
          switch (message.role) {
            case "system":
              if (continues) chat.turn(out, "system", spokenText(message));
              else if (index > 0 && config.validate === "strict") throw misplacedSystem(message);
              return;
            case "user":
              writeBody(chat.open(out, "user"), contentPieces(message, dropPart));
              chat.close(out);
              return;
            case "assistant": {
              const calls = writeHermesCalls(message.toolCalls.map(spokenCall), Boolean(message.content?.length));
              chat.open(out, "assistant").sampled(spokenText(message) + calls);
              chat.closeSampled(out);
              return;
            }
            case "tool":
              chat.toolResult(out, messages, index, (body) => writeBody(body, contentPieces(message, dropPart)));
              return;
            default:
              throw unknownRole(message, ROLES);
          }
        });
      },

      writeGenerationPrompt(out) {
        chat.open(out, "assistant");
      },
    };
  },
};

/** Text of a message without images; thinking parts count as text here, and only here. */
function spokenText(message: ConversationMessage): string {
  return contentWithoutImages(message, (part) => {
    const thinking = (part as { readonly thinking?: unknown } | null)?.thinking;
    return typeof thinking === "string" ? thinking : "";
  });
}
