import { z } from "zod";
import { visionFields } from "./visionFields.ts";

/** Fields of Qwen3.5 and its successors. */
export const qwen35Fields = {
  /** False: the generation prompt closes an empty thinking block. Unset: as the model's own template has it. */
  enableThinking: z.boolean().default(true),
  ...visionFields,
};

export const qwen35TemplateFields = { enable_thinking: "enableThinking", add_vision_id: "addVisionId" } as const;
