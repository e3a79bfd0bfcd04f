import { z } from "zod";
import { sharedFields, type ThinkingRetention } from "./sharedFields.ts";

/** `"template"`: the template rewrites earlier turns in a way that no bridge can follow. */
export type TemplateRetention = ThinkingRetention | "template";

/** A knob that the user set, and the retention that it stands for. */
export interface ImpliedRetention {
  readonly knob: string;
  readonly retention: ThinkingRetention;
}

/** What a template's treatment of earlier thinking may depend on beside the config. */
export interface RetentionRequest {
  /** The conversation has at least one tool. */
  readonly tools: boolean;
}

/**
 * A family's config, as data: shared code validates, merges and resolves by these properties and never asks which family
 * it has. To add a family, write its file in `families/` and list it in `families/index.ts`.
 */
export interface FamilyConfig<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  /** A strict variant of the union, from `familySchema`. */
  readonly schema: Schema;
  /** The template's own variables, by their snake_case names, and the fields they set. Other fields are internal. */
  readonly templateFields: Readonly<Record<string, keyof z.output<Schema> & string>>;
  /**
   * Where models of one family differ: exact model name → defaults of fields that are left unset. They stand before the
   * schema's, and count as unset when contradictions are looked for.
   */
  readonly modelDefaults?: Readonly<Record<string, Readonly<Partial<z.input<Schema>>>>>;
  /**
   * The knob among the given fields (before defaults) that fixes the retention, if any. A different explicit
   * `thinkingRetention` contradicts it.
   */
  impliedRetention(given: z.input<Schema>): ImpliedRetention | undefined;
  /** What the template does with earlier thinking when `thinkingRetention` is unset. */
  templateRetention(config: z.output<Schema>, request: RetentionRequest): TemplateRetention;
}

export function defineFamilyConfig<Name extends string, Schema extends z.ZodObject>(
  config: FamilyConfig<Name, Schema>,
): FamilyConfig<Name, Schema> {
  return config;
}

/** Options of every family, but not of the default renderer, which renders what the template does and nothing else. */
export const familyFields = {
  /**
   * Render what a response was parsed to so that it gives the sampled text again, where the published template would rewrite
   * it: values as JSON text instead of Python's printing, white space kept, JSON arguments to the letter.
   */
  patched: z.boolean().default(false),
};

/** The strict schema of a family: its name, the shared options, its own fields. */
export function familySchema<Name extends string, Fields extends z.ZodRawShape>(name: Name, fields: Fields) {
  return z.strictObject({ name: z.literal(name), ...sharedFields, ...familyFields, ...fields });
}
