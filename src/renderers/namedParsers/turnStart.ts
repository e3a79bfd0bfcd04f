import type { Tokenizer } from "../../tokenizer/types.ts";

/** Tokens that begin an assistant's turn, or any turn, in the formats that models are published with. */
const candidates = [
  "<|im_start|>",
  "<|start_header_id|>",
  "<|header_start|>",
  "<｜Assistant｜>",
  "<|im_assistant|>",
  "<|assistant|>",
  "<start_of_turn>",
  "<|turn>",
  "]~b]",
  "<|START_OF_TURN_TOKEN|>",
  "<|start_of_role|>",
  "<seed:bos>",
  "<|start|>",
  "[/INST]",
];

/** Where a prompt's last turn may begin; -1, which is no id, if the vocabulary has no token that is known for it. */
export function turnStartOf(tokenizer: Tokenizer): number {
  const markers = new Map(tokenizer.addedTokens.map(({ content, id }) => [content, id]));
  return candidates.map((text) => markers.get(text)).find((id) => id !== undefined) ?? -1;
}
