import { z } from "zod";
import { adaptations } from "../template/adapt/types.ts";
import { sharedFields } from "./sharedFields.ts";

/** Variables of older Python renderers, which no template reads: they would be ignored in silence. */
const retiredVariables = ["preserve_all_thinking", "preserve_thinking_between_tool_calls"];

/** The renderer that runs a model's own Jinja template. */
export const defaultSchema = z.strictObject({
  name: z.literal("default"),
  ...sharedFields,
  /** Jinja source of the chat template. Default: the tokenizer's own. */
  template: z.string().optional(),
  /** One of the tokenizer's templates by its name. Default: `tool_use` where there are tools and it exists, else `default`. */
  templateName: z.string().optional(),
  /** Let the template change lists and dicts (`append`), which transformers refuses. Default false. */
  mutable: z.boolean().default(false),
  /** The time that `strftime_now` prints, as local time: `"2025-01-31T12:00:00"`. Default: the clock. */
  now: z.iso.datetime({ local: true, message: "a local time such as 2025-01-31T12:00:00" }).optional(),
  /** Change messages into what the template supports, all of it or these things alone, and warn of it. */
  adaptMessages: z.union([z.boolean(), z.array(z.enum(adaptations))]).default(false),
  /** `"off"`: no bridges. Default `"on"`: where renders prove that the template only appends. */
  certificate: z.enum(["on", "off"]).default("on"),
  /**
   * `"off"`: without a named parser responses have no calls, and reasoning between `<think>` and `</think>` alone. Default `"on"`:
   * the template's renders tell how responses are read.
   */
  analysis: z.enum(["on", "off"]).default("on"),
  /** Findings of the analysis that are known better: `LayoutOverrides` of `tito-rl/autoparser`. They are checked as the found ones are. */
  overrides: z.record(z.string(), z.unknown()).optional(),
  /** The format of tool calls in responses. Default: what the analysis finds. */
  toolParser: z.string().optional(),
  /** The format of reasoning in responses. Default: what the analysis finds. */
  reasoningParser: z.string().optional(),
  /** The template's own variables, under the template's names. */
  templateKwargs: z
    .record(z.string(), z.unknown())
    .default({})
    .superRefine((kwargs, context) => {
      for (const name of retiredVariables) {
        if (!Object.hasOwn(kwargs, name)) continue;
        context.addIssue({
          code: "custom",
          path: [name],
          message: "no template reads it; set thinkingRetention instead",
        });
      }
    }),
});

export type DefaultConfig = Readonly<z.output<typeof defaultSchema>>;

/**
 * Picks the family by the model's exact name. The shared options go to the family's config. `identify`: for an unknown name,
 * take the family that renders the model's own template identically, if there is one.
 */
export const autoSchema = z.strictObject({
  name: z.literal("auto"),
  ...sharedFields,
  identify: z.boolean().default(false),
});

export type AutoConfig = Readonly<z.output<typeof autoSchema>>;

export type AutoConfigInput = Readonly<z.input<typeof autoSchema>>;
