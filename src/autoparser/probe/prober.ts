import { ProbeVariables } from "../../template/capabilities/variables.ts";
import type { ChatTemplate, TemplateContext, TemplateTrace } from "../../template/index.ts";
import type { ProbeMessage, ProbeTool } from "./types.ts";

export interface ProbeOptions {
  readonly tools?: readonly ProbeTool[] | undefined;
  readonly prompt?: boolean | undefined;
  /** Every variable that the template asks for is there. */
  readonly filled?: boolean | undefined;
  /** Variables of the template's own, beside the prober's. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Renders conversations through one template; what the template refuses is null. Equal renders are made once (tools are told apart by their number). */
export type Prober = (messages: readonly ProbeMessage[], options?: ProbeOptions) => TemplateTrace | null;

/** Passed where the tokenizer's own are not known; most templates only print them. */
const PLACEHOLDERS = { bos_token: "<s>", eos_token: "</s>" };

/** The time of every probe: what is found must not depend on the day. */
const NOW = new Date(Date.UTC(2025, 0, 1));

export interface ProberOptions {
  readonly specialTokens?: ReadonlyMap<string, string> | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Told of every render. */
  readonly log?: ((entry: ProbeLog) => void) | undefined;
}

export interface ProbeLog {
  readonly messages: readonly ProbeMessage[];
  readonly options: ProbeOptions;
  readonly text: string | null;
}

export function prober(template: ChatTemplate, { specialTokens, variables = {}, log }: ProberOptions = {}): Prober {
  const known = new Map<string, TemplateTrace | null>();
  const constants = { ...PLACEHOLDERS, ...Object.fromEntries(specialTokens ?? []) };
  return (messages, options = {}) => {
    const { tools, prompt = false, filled = false, variables: own = {} } = options;
    const key = JSON.stringify([messages, tools?.length ?? 0, prompt, filled, own]);
    let trace = known.get(key);
    if (trace === undefined) {
      const given = { ...constants, documents: null, ...variables, ...own, messages, tools: tools ?? null };
      const context = { ...given, add_generation_prompt: prompt } as never;
      trace = traced(template, filled ? new ProbeVariables(context, "variable") : context);
      known.set(key, trace);
      log?.({ messages, options, text: trace?.text ?? null });
    }
    return trace;
  };
}

function traced(template: ChatTemplate, context: TemplateContext): TemplateTrace | null {
  try {
    return template.trace(context, { now: NOW });
  } catch {
    return null;
  }
}
