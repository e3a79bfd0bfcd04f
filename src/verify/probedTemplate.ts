import type { DefaultConfig, RendererConfig } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { type Message, normalise } from "../messages/index.ts";
import { templateContext } from "../renderers/default/templateContext.ts";
import {
  adaptations,
  adaptMessages,
  type ChatTemplate,
  capabilities,
  chooseTemplate,
  compileTemplate,
  type TemplateContext,
  type TemplateSource,
} from "../template/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { VerifyProbe } from "./types.ts";

/** A template as probes are rendered with it. */
export interface ProbedTemplate {
  readonly name: string;
  readonly template: ChatTemplate;
  readonly source: TemplateSource;
}

/** Which template renders a probe. */
export interface TemplateChoice {
  /** A template that stands for all others. */
  readonly text?: string | undefined;
  readonly name?: string | undefined;
  /** The renderer lets its template change lists and dicts. */
  readonly mutable?: boolean | undefined;
}

/** Says which template a config's renderer is held against. */
export function templateChoice(config: RendererConfig, text: string | undefined): TemplateChoice {
  if (config.name !== "default") return { text };
  const { template, templateName, mutable } = config as DefaultConfig;
  return text === undefined ? { text: template, name: templateName, mutable } : { text, mutable };
}

/**
 * The model's template for conversations with or without tools; null: it has none of its own.
 *
 * @throws TitoError `template_syntax`, `template_missing`, `unknown_template`
 */
export function probedTemplate(tokenizer: Tokenizer, choice: TemplateChoice, tools: boolean): ProbedTemplate | null {
  if (choice.text !== undefined) {
    return { name: "default", template: compileTemplate(choice.text, choice), source: "option" };
  }
  const { name, text, source } = chooseTemplate(tokenizer, { tools, name: choice.name });
  return source === "fallback" ? null : { name, template: compileTemplate(text, choice), source };
}

/** The variables of a probe's render. */
export function probeContext(
  tokenizer: Tokenizer,
  { messages, tools, addGenerationPrompt }: Omit<VerifyProbe, "name">,
  templateKwargs: Readonly<Record<string, unknown>>,
): TemplateContext {
  const conversation = normalise(messages, { tools: tools.length > 0 ? tools : undefined });
  return templateContext(conversation, { specialTokens: tokenizer.specialTokens, templateKwargs }, addGenerationPrompt);
}

/** What the template is given: a default renderer may have been told to change messages for it. */
export function templateMessages(
  config: RendererConfig,
  messages: readonly Message[],
  template: ChatTemplate,
): readonly Message[] {
  const adapts = config.name === "default" ? (config as DefaultConfig).adaptMessages : false;
  const kinds = adapts === true ? adaptations : adapts || [];
  return kinds.length === 0 ? messages : adaptMessages(messages, capabilities(template), kinds).messages;
}

export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** What a render gives, or how it is refused. Other errors are mistakes of this package. */
export function attempt<Value>(render: () => Value): Attempt<Value> {
  try {
    return { ok: true, value: render() };
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return { ok: false, error: { code: error.code, message: error.message } };
  }
}
