import type { MismatchPlace, VerifyMismatch, VerifyReport } from "./types.ts";

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** A report for people to read: a line of summary, then each difference with its place on both sides. */
export function formatReport(report: VerifyReport): string {
  return [summary(report), ...report.mismatches.flatMap((one) => ["", mismatchText(one)]), ...skipLines(report)].join(
    "\n",
  );
}

/** The first line of a report. */
export function summary(report: VerifyReport): string {
  const { renderer, template, compared, skipped, mismatches, level } = report;
  if (template === null) return `${renderer}: the model has no chat template, nothing was compared (${level}).`;
  const against = `the template ${template.names.join(", ")} (${template.source})`;
  const refused = skipped > 0 ? `, ${skipped} refused by the template` : "";
  const scope = `${count(compared, "conversation")} compared${refused}, level ${level}`;
  if (compared === 0) return `${renderer}: the template refuses every conversation, nothing was compared (${scope}).`;
  if (mismatches.length === 0) return `${renderer} renders as ${against} does: ${scope}.`;
  return `${renderer} differs from ${against} in ${mismatches.length} of ${scope}.`;
}

/** One difference: the conversation, and the place on both sides. */
export function mismatchText(mismatch: VerifyMismatch): string {
  const { name, messages, tools, addGenerationPrompt } = mismatch.probe;
  const roles = messages.map(({ role, tool_calls }) => (tool_calls?.length ? `${role} with calls` : role)).join(", ");
  const more = `${tools.length > 0 ? `; ${count(tools.length, "tool")}` : ""}${addGenerationPrompt ? "; generation prompt" : ""}`;
  const head = `${name} (${roles}${more})`;
  if (mismatch.kind === "refused") {
    return `${head}\n  the renderer refuses it: ${mismatch.error.code}: ${mismatch.error.message}`;
  }
  const { index, expected, actual, context } = mismatch;
  return [
    head,
    `  at token ${index}, after ${JSON.stringify(context.before)}`,
    `  template: ${placeText(expected, context.expected)}`,
    `  renderer: ${placeText(actual, context.actual)}`,
  ].join("\n");
}

function placeText({ id, text, origin }: MismatchPlace, following: string): string {
  if (id === null) return "the prompt ends here";
  return `${JSON.stringify(following)}\n            token ${id} ${JSON.stringify(text)}, from ${origin}`;
}

/** Each reason once. */
function skipLines({ skips }: VerifyReport): string[] {
  if (skips.length === 0) return [];
  const names = new Map<string, string[]>();
  for (const { probe, error } of skips) names.set(error.message, [...(names.get(error.message) ?? []), probe.name]);
  return ["", ...Array.from(names, ([message, probes]) => `refused by the template: ${listed(probes)}: ${message}`)];
}

function listed(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
}
