import { z } from "zod";

/** Fields of Laguna XS.2 and M.1. */
export const lagunaFields = {
  /** True: the generation prompt opens a thinking block; false: it closes one. */
  enableThinking: z.boolean().default(false),
  /** Write assistant messages as they are, and add only the outer markers that are missing. */
  renderAssistantMessagesRaw: z.boolean().default(false),
  /**
   * A bridge begins with the newline that the template has behind a turn; false: only behind a close of its own, for parity
   * with rollouts that were recorded so.
   */
  newlineAfterTurn: z.boolean().default(true),
};

export const lagunaTemplateFields = {
  enable_thinking: "enableThinking",
  render_assistant_messages_raw: "renderAssistantMessagesRaw",
} as const;
