import type { Renderer } from "../renderers/renderer.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { compareProbe } from "./compareProbe.ts";
import {
  attempt,
  type ProbedTemplate,
  probeContext,
  probedTemplate,
  templateChoice,
  templateMessages,
} from "./probedTemplate.ts";
import { templateVariables } from "./templateVariables.ts";
import type { VerifyMismatch, VerifyProbe } from "./types.ts";

export type ProbeOutcome =
  | { readonly kind: "same" }
  | { readonly kind: "skipped"; readonly error: { readonly code: string; readonly message: string } }
  | { readonly kind: "different"; readonly mismatch: VerifyMismatch };

/** What a renderer is held against. */
export interface Reference {
  readonly tokenizer: Tokenizer;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Null: the model has no template. Throws as `chooseTemplate` and `compileTemplate` do. */
  templateFor(tools: boolean): ProbedTemplate | null;
}

/** `template`: Jinja source in place of the model's own. */
export function referenceOf({ tokenizer, config }: Renderer, template: string | undefined): Reference {
  const choice = templateChoice(config, template);
  return {
    tokenizer,
    variables: templateVariables(config),
    templateFor: (tools) => probedTemplate(tokenizer, choice, tools),
  };
}

/** Compares one conversation. */
export function verifyProbe(
  renderer: Renderer,
  probe: VerifyProbe,
  { template }: ProbedTemplate,
  { tokenizer, variables }: Reference,
): ProbeOutcome {
  const messages = templateMessages(renderer.config, probe.messages, template);
  const traced = attempt(() => template.trace(probeContext(tokenizer, { ...probe, messages }, variables)));
  if (!traced.ok) return { kind: "skipped", error: traced.error };
  const mismatch = compareProbe(renderer, probe, template, traced.value);
  return mismatch === null ? { kind: "same" } : { kind: "different", mismatch };
}
