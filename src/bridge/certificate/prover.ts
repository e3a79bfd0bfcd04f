import { TitoError } from "../../errors.ts";
import type { Message } from "../../messages/index.ts";
import type { TurnShape } from "../../renderers/default/turnShape.ts";
import type { TemplateTrace } from "../../template/index.ts";
import type { AddedToken } from "../../tokenizer/types.ts";

/** How a probe is rendered. */
export interface ProbeOptions {
  readonly tools: boolean;
  readonly addGenerationPrompt: boolean;
}

/** What a certificate is made from: a template bound to its model and variables. */
export interface ProbedTemplate {
  readonly hash: string;
  /** Which template writes conversations with tools may differ from the one for those without. */
  shape(tools: boolean): TurnShape;
  readonly tokens: readonly AddedToken[];
  /** It writes tool calls: to one that does not they are words. */
  writesCalls(tools: boolean): boolean;
  /** @throws TitoError where the template refuses, as any of its renders */
  trace(messages: readonly Message[], options: ProbeOptions): TemplateTrace;
  /** The generation prompt behind a question, without the variables that were set; `""` if the template needs them. */
  plainPrompt(): string;
}

/** A render, or what the template says in place of one. */
export type ProbeRender =
  | { readonly ok: true; readonly trace: TemplateTrace }
  | { readonly ok: false; readonly raised: string };

export type ProbeRenderer = (messages: readonly Message[], options: ProbeOptions) => ProbeRender;

/** Renders each probe once. */
export function probeRenderer(template: Pick<ProbedTemplate, "trace">): ProbeRenderer {
  const known = new Map<string, ProbeRender>();
  return (messages, options) => {
    const key = `${options.tools} ${options.addGenerationPrompt} ${JSON.stringify(messages)}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const render = attempt(template, messages, options);
    known.set(key, render);
    return render;
  };
}

function attempt(template: Pick<ProbedTemplate, "trace">, messages: readonly Message[], options: ProbeOptions) {
  try {
    return { ok: true, trace: template.trace(messages, options) } as const;
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    const { raised } = error.details;
    return { ok: false, raised: typeof raised === "string" ? raised : error.message } as const;
  }
}
