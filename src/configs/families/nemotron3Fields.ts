import { z } from "zod";

/** Fields of Nemotron 3 and its successors. */
export const nemotron3Fields = {
  /** False: the generation prompt closes an empty thinking block. */
  enableThinking: z.boolean().default(true),
  /** Drop the thinking of turns before the last user query. */
  truncateHistoryThinking: z.boolean().default(true),
};

export const nemotron3TemplateFields = {
  enable_thinking: "enableThinking",
  truncate_history_thinking: "truncateHistoryThinking",
} as const;
