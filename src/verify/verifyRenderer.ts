import type { Renderer } from "../renderers/renderer.ts";
import { fullProbes } from "./fullProbes.ts";
import { quickProbes } from "./quickProbes.ts";
import type { VerifyLevel, VerifyMismatch, VerifyOptions, VerifyProbe, VerifyReport, VerifySkip } from "./types.ts";
import { referenceOf, verifyProbe } from "./verifyProbe.ts";

/** The full ones begin with the quick ones. */
const probesOf = (level: VerifyLevel): readonly VerifyProbe[] => (level === "full" ? fullProbes() : quickProbes);

/**
 * Holds a renderer against the chat template that its model came with: both render the same conversations, the template with
 * the variables that follow from the renderer's config, and their ids must be equal. What the template refuses is skipped. A
 * default renderer with a template of its own is held against that one. Checks what is rendered; nothing is said about masks,
 * parsing or images.
 *
 * @throws TitoError `template_syntax`, `template_missing`, `unknown_template`
 * @example
 * const report = verifyRenderer(createRenderer(tokenizer, { name: "qwen3" }), { level: "full" });
 * if (!report.ok) console.error(formatReport(report));
 */
export function verifyRenderer(renderer: Renderer, options: VerifyOptions = {}): VerifyReport {
  const { level = "quick", onProgress } = options;
  const probes = probesOf(level);
  const reference = referenceOf(renderer, options.template);
  const source = reference.templateFor(false)?.source ?? null;
  const names = new Set<string>();
  const skips: VerifySkip[] = [];
  const mismatches: VerifyMismatch[] = [];
  for (const [index, probe] of (source === null ? [] : probes).entries()) {
    const template = reference.templateFor(probe.tools.length > 0)!;
    names.add(template.name);
    const outcome = verifyProbe(renderer, probe, template, reference);
    if (outcome.kind === "different") mismatches.push(outcome.mismatch);
    if (outcome.kind === "skipped") skips.push({ probe, error: outcome.error });
    onProgress?.({ done: index + 1, total: probes.length });
  }
  const compared = source === null ? 0 : probes.length - skips.length;
  return {
    ok: mismatches.length === 0 && (source === null || compared > 0),
    level,
    renderer: renderer.config.name,
    template: source === null ? null : { names: [...names], source },
    variables: reference.variables,
    compared,
    skipped: skips.length,
    skips,
    mismatches,
  };
}
