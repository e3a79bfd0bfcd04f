import { familyConfig } from "../../src/configs/index.ts";
import { createRenderer, type Renderer, type RendererConfigInput, type Tokenizer } from "../../src/index.ts";
import type { templateFamilies } from "./templateFamilies.ts";

/** Settings in which families bridge in other ways. */
export const familySettings: Readonly<Record<(typeof templateFamilies)[number], readonly object[]>> = {
  qwen3: [{}, { enableThinking: false }],
  "qwen3.5": [{}, { enableThinking: false }],
  "glm-5": [{}, { enableThinking: false }, { clearThinking: false }],
  "minimax-m2": [{}],
  "nemotron-3": [{}, { enableThinking: false }, { truncateHistoryThinking: false }],
  "llama-3": [{}, { toolsInUserMessage: false }],
  "laguna-xs.2": [{}, { enableThinking: true }],
  "laguna-s-2.1": [{}, { enableThinking: false }],
  hy3: [{}, { reasoningEffort: "high" }, { reasoningEffort: "low", preservedThinking: true }],
};

export interface ComparedRenderers {
  readonly family: Renderer;
  readonly byTemplate: Renderer;
  /** The family's settings let no turn think. */
  readonly isThoughtless: boolean;
}

/** A family, and the default renderer on its template with the family's settings as variables. */
export function comparedRenderers(tokenizer: Tokenizer, name: string, settings: object): ComparedRenderers {
  const family = createRenderer(tokenizer, { name, ...settings } as RendererConfigInput);
  const config = family.config as unknown as Readonly<Record<string, unknown>>;
  const templateKwargs = Object.fromEntries(
    Object.entries(familyConfig(name)?.templateFields ?? {})
      .map(([variable, field]) => [variable, config[field as string]] as const)
      .filter(([, value]) => value !== undefined && value !== null),
  );
  const byTemplate = createRenderer(
    tokenizer,
    { name: "default", templateKwargs, adaptMessages: true },
    { onWarning: () => {} },
  );
  return { family, byTemplate, isThoughtless: config.enableThinking === false };
}
