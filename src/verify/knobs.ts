import { z } from "zod";
import { familyFields } from "../configs/familyConfig.ts";
import type { FamilyConfig } from "../configs/index.ts";
import { sharedFields } from "../configs/sharedFields.ts";

/** A field of a family that can be tried out: a switch, a choice or a text. */
export interface Knob {
  readonly field: string;
  /** The values that the field may have; null: any text. */
  readonly values: readonly unknown[] | null;
}

/** A field that a template variable sets. */
export interface VariableKnob extends Knob {
  readonly variable: string;
}

/** The template variables of a family. */
export function variableKnobs({ schema, templateFields }: FamilyConfig): readonly VariableKnob[] {
  return Object.entries(templateFields).flatMap(([variable, field]) =>
    knob(field, schema.shape[field]).map((one) => ({ ...one, variable })),
  );
}

/** All fields of a family's own, also those that stand for differences between its models' templates. */
export function familyKnobs({ schema }: FamilyConfig): readonly Knob[] {
  const common = new Set(["name", ...Object.keys(sharedFields), ...Object.keys(familyFields)]);
  return Object.entries(schema.shape).flatMap(([field, type]) => (common.has(field) ? [] : knob(field, type)));
}

function knob(field: string, type: unknown): Knob[] {
  const values = valuesOf(type);
  return values === undefined ? [] : [{ field, values }];
}

function valuesOf(schema: unknown): readonly unknown[] | null | undefined {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return valuesOf(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return [true, false];
  if (schema instanceof z.ZodEnum) return schema.options;
  return schema instanceof z.ZodString ? null : undefined;
}
