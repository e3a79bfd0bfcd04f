import { boundedCache } from "../boundedCache.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import { createRenderer } from "../renderers/createRenderer.ts";
import type { Renderer } from "../renderers/renderer.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { WarningHandler } from "../warnings.ts";

export interface TemplateBinding {
  readonly template: string;
  readonly templateKwargs: Readonly<Record<string, unknown>>;
  readonly now: Date | undefined;
  readonly onWarning: WarningHandler | undefined;
}

const known = new WeakMap<Tokenizer, (key: string, make: () => Renderer) => Renderer>();

/** The default renderer for a template; the last ones of a tokenizer are kept. */
export function templateRenderer(tokenizer: Tokenizer, binding: TemplateBinding): Renderer {
  const { template, templateKwargs, now, onWarning } = binding;
  const make = () =>
    createRenderer(
      tokenizer,
      {
        name: "default",
        template,
        templateKwargs,
        mutable: true,
        adaptMessages: true,
        // The messages were checked before, and may have been rewritten since.
        validate: "template",
        certificate: "off",
        ...(now === undefined ? {} : { now: localTime(now) }),
      },
      { onWarning: onWarning ?? (() => {}) },
    );
  const isPlain = Object.values(templateKwargs).every((value) => value === null || typeof value !== "object");
  if (onWarning !== undefined || !isPlain) return make();
  let cache = known.get(tokenizer);
  if (cache === undefined) {
    cache = boundedCache<Renderer>(8);
    known.set(tokenizer, cache);
  }
  return cache(JSON.stringify([template, templateKwargs, now?.getTime()]), make);
}

export interface PromptIdsRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[] | undefined;
  readonly generates: boolean;
  readonly continues: boolean;
  /** As `promptText` has them. */
  readonly thoughts: string | null;
}

export function promptIds(renderer: Renderer, request: PromptIdsRequest): Int32Array {
  const { messages, tools, generates, continues, thoughts } = request;
  if (thoughts === null) {
    return renderer.renderIds(messages, { tools, addGenerationPrompt: generates, continueFinalMessage: continues });
  }
  const before = renderer.renderIds(messages.slice(0, -1), { tools, addGenerationPrompt: true });
  return Int32Array.from([...before, ...renderer.tokenizer.encode(thoughts)]);
}

const localTime = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};
