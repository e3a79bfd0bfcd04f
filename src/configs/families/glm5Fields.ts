import { z } from "zod";

/** Fields of GLM-5 and GLM-5.1. */
export const glm5Fields = {
  /** False: the generation prompt closes an empty thinking block. */
  enableThinking: z.boolean().default(true),
  /** Drop the thinking of turns before the last user query. */
  clearThinking: z.boolean().default(true),
};

export const glm5TemplateFields = { enable_thinking: "enableThinking", clear_thinking: "clearThinking" } as const;
