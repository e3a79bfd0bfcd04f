import { readFileSync } from "node:fs";
import { TitoError } from "../errors.ts";
import type { TemplateContext } from "../template/compile/run.ts";
import { compileTemplate } from "../template/template.ts";
import type { RecordedCase } from "./cases.ts";
import { templateFile } from "./locate.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/** What a template may end with; any other error is one of this package's. */
const RAISED: ReadonlySet<string> = new Set(["template_syntax", "template_error", "template_raised"]);

/** Recorded at midnight, without a time zone: the local time that a template prints is this one everywhere. */
const recordedTime = (): Date => new Date(2025, 0, 1);

/** Renders a chat template of the fixtures and holds the text against the recorded one. */
export function runTemplate(recorded: RecordedCase, fixtures: string): Outcome {
  const { template: name, sandbox, expect } = recorded.plain;
  const source = readTemplate(fixtures, name);
  const context = recorded.lossless("context") as TemplateContext;
  const options = { now: recordedTime() };
  let text: string;
  let traced: string;
  try {
    const template = compileTemplate(source, { mutable: sandbox === "mutable" });
    text = template.render(context, options);
    traced = template.trace(context, options).text;
  } catch (error) {
    if (!(error instanceof TitoError) || !RAISED.has(error.code)) throw error;
    const actual = { error: { code: error.code, message: error.message } };
    return "error" in expect ? passed("error", actual) : failed(`unexpected ${error.code}: ${error.message}`, actual);
  }
  if ("error" in expect) return failed(`expected an error (${JSON.stringify(expect.error)})`, { text });
  if (text !== expect.text) return failed(textDifference(expect.text, text), { text });
  if (traced !== text) return failed(`the trace: ${textDifference(text, traced)}`, { text: traced });
  return passed("expect", { text });
}

function readTemplate(fixtures: string, name: string): string {
  const file = templateFile(fixtures, name);
  if (!file) throw new TitoError("fixtures_missing", `no template "${name}"`);
  return readFileSync(file, "utf8");
}

function textDifference(expected: string, actual: string): string {
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const from = (text: string) => (at < text.length ? JSON.stringify(text.slice(at, at + 60)) : "the end");
  return `text at ${at}: expected ${from(expected)}, got ${from(actual)}`;
}
