/*
 * Nemotron 3 Ultra: the format of nemotron.ts, with nothing around the marker that closes reasoning.
 *
 *   <|im_start|>assistant⏎<think>⏎{reasoning}</think>{content}<|im_end|>⏎
 *
 * It can ask for efficient reasoning at the end of the last user message (`mediumEffort`), lists tools in ASCII, and has its
 * only system message at the beginning (a bridge may add others).
 */
import { type Nemotron3UltraConfig, nemotron3UltraConfig } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { type NemotronVariant, nemotronFormat } from "./nemotron.ts";

/** What Nemotron 3.5 has of it, too. */
export const nemotron3UltraVariant: NemotronVariant = {
  glue: "",
  keepsEdges: true,
  openRoles: false,
  asciiTools: true,
  hint: "",
};

export const nemotron3Ultra: Family<Nemotron3UltraConfig> = {
  config: nemotron3UltraConfig,
  bind(tokenizer, config) {
    const hint = config.mediumEffort ? "\n\n{reasoning effort: efficient}" : "";
    return nemotronFormat(tokenizer, config, { ...nemotron3UltraVariant, hint });
  },
};
