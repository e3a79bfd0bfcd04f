import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TitoError } from "../../src/errors.ts";
import { pythonJson } from "../../src/messages/json/index.ts";
import { compileTemplate } from "../../src/template/template.ts";
import { LineProcess } from "../tokenizer/lineProcess.ts";
import type { Context } from "./values.ts";

export interface Case {
  readonly template: string;
  readonly context: Context;
}

/** What an engine made of a case; `error` is the name of Python's exception. */
export type Rendered = { readonly text: string } | { readonly error: string; readonly message: string };

/** The moment that dates show, on both sides. */
export const NOW = Date.UTC(2025, 0, 1) / 1000;

const folder = fileURLToPath(new URL(".", import.meta.url));

/** A Python with Jinja2: the one that `TITO_BENCH_PYTHON` names, or the benchmarks' own. */
export function jinjaPython(note: (line: string) => void): string | undefined {
  const own = join(
    folder,
    "..",
    ".venv",
    ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]),
  );
  const python = process.env.TITO_BENCH_PYTHON || own;
  const name = process.env.TITO_BENCH_PYTHON ? "TITO_BENCH_PYTHON" : "bench/.venv";
  const found = process.env.TITO_BENCH_PYTHON || existsSync(own);
  if (found && spawnSync(python, ["-c", "import jinja2"], { stdio: "ignore" }).status === 0) return python;
  note(`No Jinja2 to compare with: ${name} ${found ? 'cannot "import jinja2"' : "does not exist"}.`);
  return undefined;
}

/** Jinja2 in a Python process. */
export class Jinja {
  readonly #process: LineProcess;

  constructor(python: string) {
    process.env.TZ = "UTC";
    process.env.TITO_ORACLE_NOW = String(NOW);
    process.env.PYTHONWARNINGS = "ignore";
    this.#process = new LineProcess(python, [join(folder, "peer.py")]);
  }

  /** `unfolded`: nothing is worked out beforehand, see the script. */
  async render(cases: readonly Case[], { unfolded = false } = {}): Promise<readonly Rendered[]> {
    const given = cases.map(({ template, context }) => ({
      template,
      context: pythonJson(context, { ensureAscii: true }),
    }));
    return (await this.ask<{ outcomes: readonly Rendered[] }>({ kind: "render", cases: given, unfolded })).outcomes;
  }

  async ask<T>(command: object): Promise<T> {
    const answer = await this.#process.ask<T & { failed?: string }>(command);
    if (answer.failed) throw new Error(`Jinja2's process failed: ${answer.failed}`);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}

/** This package's answer. A fault is what is not one of its own errors, and a trace that gives something else. */
export function ours({ template, context }: Case): Rendered {
  const options = { now: new Date(NOW * 1000) };
  const rendered = attempt(() => compileTemplate(template).render(context, options));
  const traced = attempt(() => compileTemplate(template).trace(context, options).text);
  const [kept, plain] = [traced, rendered].map((one) => ("error" in one ? one.error : `text ${one.text}`));
  if (kept === plain) return rendered;
  return { error: "fault", message: `the trace gives ${JSON.stringify(traced)}, render ${JSON.stringify(rendered)}` };
}

function attempt(run: () => string): Rendered {
  try {
    return { text: run() };
  } catch (error) {
    if (!(error instanceof TitoError))
      return { error: "fault", message: error instanceof Error ? (error.stack ?? "") : String(error) };
    const { pythonType } = error.details;
    return {
      error: typeof pythonType === "string" ? pythonType : (CLASSES[error.code] ?? error.code),
      message: error.message,
    };
  }
}

/** Python's classes for errors that are not of an operation. */
const CLASSES: Readonly<Record<string, string>> = {
  template_raised: "TemplateError",
  template_syntax: "TemplateSyntaxError",
  template_limit: "RecursionError",
};

/** A filter that is not there has a class of its own in Jinja2, and what takes too much memory has Python's. */
const SAME: Readonly<Record<string, string>> = {
  TemplateAssertionError: "TemplateSyntaxError",
  MemoryError: "RecursionError",
  OverflowError: "RecursionError",
};

export function sameError(theirs: string, own: string): boolean {
  return theirs === own || SAME[theirs] === own;
}

/** Functions and iterators print where they are in memory, which is another place every time. */
const ADDRESS = /at 0x[0-9a-f]{6,}/i;

export function alike(theirs: Rendered, own: Rendered): boolean {
  if ("error" in theirs || "error" in own) return "error" in theirs && "error" in own && own.error !== "fault";
  return theirs.text === own.text || ADDRESS.test(theirs.text);
}
