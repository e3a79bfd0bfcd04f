import { familyConfig } from "../../src/configs/index.ts";
import type { RecordedCase } from "../../src/conform/cases.ts";
import { toCamelFields } from "../../src/conform/cases.ts";
import { createRenderer, type Renderer, type RendererConfigInput, type Tokenizer } from "../../src/index.ts";

/** Families whose published template is among the recorded ones, by the name of their overlay. */
export const templateFamilies = [
  "qwen3",
  "qwen3.5",
  "glm-5",
  "minimax-m2",
  "nemotron-3",
  "llama-3",
  "laguna-xs.2",
  "laguna-s-2.1",
  "hy3",
] as const;

export interface RenderersOfCase {
  readonly family: Renderer;
  /** The default renderer on the tokenizer's own template, with the family's settings as the template's variables. */
  readonly byTemplate: Renderer;
}

/** The two renderers of a recorded case, with the template's reading of markers. */
export function renderersOf(
  tokenizer: Tokenizer,
  recorded: RecordedCase,
  adaptMessages: boolean | readonly "arguments"[],
): RenderersOfCase {
  const shared = { contentSpecials: "template", validate: "template" } as const;
  const { name } = recorded.plain.config;
  const family = createRenderer(tokenizer, {
    ...toCamelFields(recorded.plain.config),
    ...shared,
  } as RendererConfigInput);
  const settings = family.config as unknown as Readonly<Record<string, unknown>>;
  const templateKwargs = Object.fromEntries(
    Object.entries(familyConfig(name)?.templateFields ?? {})
      .map(([variable, field]) => [variable, settings[field as string]] as const)
      .filter(([, value]) => value !== undefined && value !== null),
  );
  const byTemplate = createRenderer(
    tokenizer,
    { name: "default", ...shared, templateKwargs, adaptMessages: adaptMessages as boolean },
    { onWarning: () => {} },
  );
  return { family, byTemplate };
}
