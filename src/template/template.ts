import { boundedCache } from "../boundedCache.ts";
import { TitoError } from "../errors.ts";
import type { TracedOutput, TracePiece } from "./compile/output.ts";
import { Run, type TemplateContext } from "./compile/run.ts";
import { blockNames, type Execute, Frame, Scope } from "./compile/scope.ts";
import { compileStatements } from "./compile/statements.ts";
import { TemplateRaised } from "./globals/raiseException.ts";
import { defaultLimits, LimitExceeded, type TemplateLimits } from "./limits.ts";
import { parseTemplate } from "./syntax/parser.ts";
import { SyntaxFault } from "./syntax/syntaxFault.ts";
import { textOf } from "./values/text.ts";
import { PythonError } from "./values/types.ts";

export interface CompileOptions {
  /** Allow methods that change a list or a dict (`append`), which transformers' sandbox refuses. Default false. */
  readonly mutable?: boolean | undefined;
}

export interface TemplateRenderOptions {
  /** The time that `strftime_now` prints. Default: now. */
  readonly now?: Date | undefined;
  /** What a render may use. Default: `defaultLimits`. */
  readonly limits?: Partial<TemplateLimits> | undefined;
}

/** A render whose every piece knows where it comes from. */
export interface TemplateTrace {
  readonly text: string;
  /** In order; together they are `text`. */
  readonly pieces: readonly TracePiece[];
  /**
   * What stands in `{% generation %}` blocks: half-open ranges of `text` in UTF-16 units. Blocks within a macro or an assigned
   * block have no place of their own in the text and are left out.
   */
  readonly generations: readonly (readonly [start: number, end: number])[];
}

/** A compiled template. It holds no state: one serves any number of renders. */
export interface ChatTemplate {
  /** The template's text, every line break a `\n`. */
  readonly source: string;
  /**
   * The text that the template gives, as transformers' `apply_chat_template` does with the same variables.
   *
   * @throws TitoError `template_error` where Python would raise, `template_raised` where the template itself does
   * (`raise_exception`), `template_limit` where it uses too much; with `line`, `column` and `expression` in `details`.
   */
  render(context: TemplateContext, options?: TemplateRenderOptions): string;
  /** The same with the origin of every piece, at a small cost. */
  trace(context: TemplateContext, options?: TemplateRenderOptions): TemplateTrace;
}

/** Compiled templates by their text. */
const compiled = boundedCache<ChatTemplate>(128);

/**
 * Compiles a Jinja chat template with Python's semantics and transformers' environment. The last templates are kept by their
 * text.
 *
 * @throws TitoError `template_syntax` with `line` and `column` in `details`
 * @example
 * compileTemplate("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}").render({
 *   messages: [{ role: "user", content: "hi" }],
 * }); // <user>hi
 */
export function compileTemplate(source: string, { mutable = false }: CompileOptions = {}): ChatTemplate {
  return compiled(`${mutable ? "m" : "i"}${source}`, () => compile(source, mutable));
}

function compile(text: string, mutable: boolean): ChatTemplate {
  const { source, scope, body } = compiledBody(text);

  function run(context: TemplateContext, options: TemplateRenderOptions, traced: boolean): Run {
    const limits = { ...defaultLimits, ...options.limits };
    const run = new Run({ context, traced, mutable, limits, now: () => options.now ?? new Date() });
    try {
      body(new Frame(run, new Array(scope.layout.size).fill(undefined), null));
      return run;
    } catch (error) {
      throw renderError(error, source, run);
    }
  }

  return {
    source,
    render: (context, options = {}) => textOf(run(context, options, false).main.collected()),
    trace(context, options = {}) {
      const { main, generations } = run(context, options, true);
      const { text, pieces } = main as TracedOutput;
      return { text, pieces, generations };
    },
  };
}

function compiledBody(text: string): { source: string; scope: Scope; body: Execute } {
  try {
    const { source, body } = parseTemplate(text);
    const scope = new Scope(null, { size: 0 }, blockNames(body));
    return { source, scope, body: compileStatements(body, { scope, soft: false }) };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(error);
    if (!(error instanceof SyntaxFault)) throw error;
    const { line, column } = place(normalised(text), error.at);
    throw new TitoError(
      "template_syntax",
      `The template is wrong at line ${line}, column ${column}: ${error.message}. Correct the template.`,
      { details: { line, column } },
    );
  }
}

function normalised(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Line and column from 1, the column in UTF-16 units. */
function place(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}

function tooDeep(cause: RangeError): TitoError {
  return new TitoError("template_limit", "The template is nested too deeply to be compiled. Use a flatter one.", {
    details: { limit: "depth" },
    cause,
  });
}

function renderError(error: unknown, source: string, { node }: Run): unknown {
  if (error instanceof TitoError) return error;
  const at = node?.at ?? 0;
  const { line, column } = place(source, at);
  const expression = source.slice(at, node?.end ?? at).slice(0, 200);
  const where = { line, column, expression };
  const at_ = `line ${line}, column ${column}, in \`${expression}\``;
  if (error instanceof PythonError) {
    return new TitoError(
      "template_error",
      `The template fails at ${at_}: ${error.message} (${error.type}). Change the messages or variables that it is given, or the template.`,
      { details: { ...where, pythonType: error.type } },
    );
  }
  if (error instanceof TemplateRaised) {
    return new TitoError(
      "template_raised",
      `The template refuses its input at line ${line}: ${error.message}. Change the messages as it says.`,
      { details: { ...where, raised: error.message } },
    );
  }
  if (error instanceof LimitExceeded) {
    return new TitoError(
      "template_limit",
      `The template uses too much at ${at_}: ${error.limit} is limited to ${error.most}. Raise limits.${error.limit}, or use another template.`,
      { details: { ...where, limit: error.limit, most: error.most } },
    );
  }
  if (error instanceof RangeError) {
    return new TitoError(
      "template_limit",
      `The template uses too much at ${at_}: ${error.message}. Lower limits.length or limits.depth, or use another template.`,
      { details: { ...where, limit: error.message.includes("string") ? "length" : "depth" }, cause: error },
    );
  }
  return error;
}
