import { boundedCache } from "../boundedCache.ts";
import { TitoError } from "../errors.ts";
import { familyByName } from "../renderers/registerFamily.ts";
import type { Renderer } from "../renderers/renderer.ts";
import { hashOf, numberOf, tokenizerFingerprint } from "./fingerprint.ts";
import { formatReport, mismatchText, summary } from "./formatReport.ts";
import type { VerifyLevel, VerifyReport } from "./types.ts";
import { verifyRenderer } from "./verifyRenderer.ts";

const reports = boundedCache<VerifyReport>(64);

/**
 * Verifies a renderer, once for each tokenizer, template and config in this process.
 *
 * @throws TitoError `template_mismatch` with the `report` in `details`, and what `verifyRenderer` throws
 */
export function requireIdentical(renderer: Renderer, level: VerifyLevel): void {
  const { tokenizer, config } = renderer;
  const family = familyByName(config.name);
  const key = hashOf([tokenizerFingerprint(tokenizer), config, family === undefined ? 0 : numberOf(family), level]);
  const report = reports(key, () => verifyRenderer(renderer, { level }));
  if (report.ok) return;
  const [first] = report.mismatches;
  const finding = first === undefined ? formatReport(report) : `${summary(report)}\n${mismatchText(first)}`;
  throw new TitoError(
    "template_mismatch",
    `${finding}\nUse { name: "default" }, which runs the template itself, another family or config, or leave verify out.`,
    { details: { report } },
  );
}
