/*
 * DeepSeek R1: see deepseek.ts for the wire format.
 *
 *   <｜Assistant｜><think>⏎{reasoning}⏎</think>⏎⏎{content}<｜end▁of▁sentence｜>     as it is sampled
 *   <｜Assistant｜>{content}<｜end▁of▁sentence｜>                                  as it stands in the history
 *
 * The generation prompt opens the thinking, also after tool results, where `<｜Assistant｜>` is left out. Of a past turn only
 * what follows its last `</think>` is written; `reasoning_content` never is.
 *
 * Only a `<think>` directly behind `<｜Assistant｜>` opens reasoning in a prompt. After tool results a response is read as
 * content, with a `</think>` in it if the model thought: pass `prompt: { reasoning: "open" }` to have its parts told apart.
 *
 * `patched`: reasoning that is read keeps its edge newlines, all but the format's own.
 */
import { type DeepseekR1Config, deepseekR1Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import type { ConversationMessage } from "../messages/index.ts";
import { deepseekFormat } from "./deepseek.ts";

export const deepseekR1: Family<DeepseekR1Config> = {
  config: deepseekR1Config,
  bind: (tokenizer, { patched }) =>
    deepseekFormat(tokenizer, { family: "deepseek-r1", prefill: "<think>\n", said: answer, patched }),
};

/** What follows the last thinking, whether that stands in the text or in parts of its own. */
function answer({ content, text }: ConversationMessage): string {
  const parts = Array.isArray(content) ? content : [];
  const thought = parts.findLastIndex((part) => part?.type === "thinking");
  const words = thought < 0 ? text : parts.slice(thought + 1).map((part) => (part?.type === "text" ? part.text : ""));
  return (Array.isArray(words) ? words.join("") : words).split("</think>").at(-1) ?? "";
}
