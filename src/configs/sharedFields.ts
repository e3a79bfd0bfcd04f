import { z } from "zod";

/** What a bridge does with earlier turns' thinking: keep it until the next user query, or for ever. */
export type ThinkingRetention = "tool_cycle" | "all";

/**
 * Options that every family has. `contentSpecials` says how marker text in user, tool and system content is read: as plain
 * text, or as the template's output would be. `validate` says how strictly messages are checked.
 */
export const sharedFields = {
  thinkingRetention: z.enum(["tool_cycle", "all"]).optional(),
  contentSpecials: z.enum(["text", "template"]).default("text"),
  validate: z.enum(["strict", "template"]).default("strict"),
};
