import { TitoError } from "../../errors.ts";
import type { ChosenTemplate } from "../../template/index.ts";
import { excerpt } from "./excerpt.ts";

/** An error of a template as the commands show it. */
export interface TemplateFault {
  readonly code: string;
  readonly message: string;
  /** Name of the template, and where it is from. */
  readonly template: string;
  readonly source: string;
  /** From 1, the column in UTF-16 units; both are missing where the error has no place. */
  readonly line?: number;
  readonly column?: number;
  readonly expression?: string;
  /** The line, and a caret under the place. */
  readonly excerpt?: readonly string[];
}

/** What there is to show of a template's error, with the line that it stands in; null: the error is another one. */
export function templateFault(error: unknown, { name, text, source }: ChosenTemplate): TemplateFault | null {
  if (!(error instanceof TitoError) || !error.code.startsWith("template_")) return null;
  const fault = { code: error.code, message: error.message, template: name, source };
  const { line, column, expression } = error.details;
  if (typeof line !== "number" || typeof column !== "number") return fault;
  const shown = typeof expression === "string" ? expression : "";
  return {
    ...fault,
    line,
    column,
    ...(shown !== "" && { expression: shown }),
    excerpt: excerpt(text, { line, column }, shown.split("\n", 1)[0]!.length),
  };
}

/** Runs what may fail by a template, and gives such an error a place in the template's text. */
export function withTemplate<T>(template: ChosenTemplate, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const fault = templateFault(error, template);
    if (fault === null) throw error;
    throw new TitoError(fault.code as TitoError["code"], fault.message, { details: { ...fault }, cause: error });
  }
}

/** A failure that may be a template's: then it has a place. */
export type ShownFault = Pick<TemplateFault, "code" | "message"> & Readonly<Record<string, unknown>>;

/** The lines for a person. */
export function faultLines({ message, template, source, excerpt }: ShownFault): string[] {
  if (!Array.isArray(excerpt)) return [message];
  return [message, "", `${template} (${source}):`, ...excerpt];
}
