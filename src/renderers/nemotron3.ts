/*
 * Nemotron 3 Nano and Super: the format of nemotron.ts, with a newline on both sides of the marker that closes reasoning.
 *
 *   <|im_start|>assistant⏎<think>⏎{reasoning}⏎</think>⏎{content}<|im_end|>⏎
 *
 * Super (`readsLowEffort`) can ask for short reasoning at the end of the last user message (`lowEffort`), lists tools in
 * ASCII, and has its only system message at the beginning.
 *
 * Differs from the published template: text parts are joined (the template prints a Python list, or raises), and other parts
 * are refused; content that is null is no text (the template prints `None`); arguments may be JSON text, and those that are
 * no JSON object are left out with `validate: "template"` (the template raises); a tool's result that begins the
 * conversation opens its user turn.
 */
import { type Nemotron3Config, nemotron3Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { type NemotronVariant, nemotronFormat } from "./nemotron.ts";

const nano: NemotronVariant = { glue: "\n", keepsEdges: false, openRoles: true, asciiTools: false, hint: "" };

export const nemotron3: Family<Nemotron3Config> = {
  config: nemotron3Config,
  bind(tokenizer, config) {
    if (!config.readsLowEffort) return nemotronFormat(tokenizer, config, nano);
    const hint = config.lowEffort ? "\n\n{reasoning effort: low}" : "";
    return nemotronFormat(tokenizer, config, { ...nano, openRoles: false, asciiTools: true, hint });
  },
};
