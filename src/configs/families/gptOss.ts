import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";

const schema = familySchema("gpt-oss", {
  /** The reasoning effort that the system message names. */
  reasoningEffort: z.enum(["low", "medium", "high"]).default("medium"),
  /** The date in the system message, as `2026-01-15`. Unset: the day on which the renderer is made. */
  conversationStartDate: z.string().optional(),
  /** Begin with the system message of the Harmony format. */
  useSystemPrompt: z.boolean().default(true),
  /** The knowledge cutoff in the system message. Unset: the format's own. */
  knowledgeCutoff: z.string().optional(),
  /** The line of the system message that says who the model is. Unset: the format's own. */
  modelIdentity: z.string().optional(),
  /**
   * Drop the analysis of final answers, and of tool calls once a final answer follows. False keeps the analysis of all turns.
   */
  autoDropAnalysis: z.boolean().default(true),
  /** The tools that the model was trained with: the system message declares them, and calls go to `browser.search`, `python` …  */
  builtinTools: z.array(z.enum(["browser", "python"])).default([]),
  /**
   * The generation prompt goes on to `<|channel|>analysis<|message|>`, so that the model cannot choose its first channel.
   */
  forceAnalysis: z.boolean().default(false),
  /**
   * Channel and recipient headers, which the model samples, are in the loss mask. False: they are not, and the heading of
   * instructions counts as their body; so do renderers that build messages one by one.
   */
  headerLoss: z.boolean().default(true),
});

/** Config of gpt-oss as it is used: defaults filled in. */
export type GptOssConfig = Readonly<z.output<typeof schema>>;

/** Config of gpt-oss as it is written. */
export type GptOssConfigInput = Readonly<z.input<typeof schema>>;

export const gptOssConfig = defineFamilyConfig({
  name: "gpt-oss",
  schema,
  templateFields: {
    reasoning_effort: "reasoningEffort",
    conversation_start_date: "conversationStartDate",
  },
  impliedRetention: dropKnob("autoDropAnalysis"),
  templateRetention: (config) => (config.autoDropAnalysis ? "tool_cycle" : "all"),
});
