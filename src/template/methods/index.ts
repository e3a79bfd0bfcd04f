import { Dict, DictView, List, Range, Tuple } from "../values/containers.ts";
import { Float, Markup, Traced } from "../values/scalars.ts";
import type { Value } from "../values/types.ts";
import type { Method } from "./define.ts";
import { dictMethods, mutatingDictMethods, setViewMethods } from "./dicts.ts";
import { listMethods, mutatingListMethods, rangeMethods, tupleMethods } from "./lists.ts";
import { markupMethods } from "./markup.ts";
import { floatAttribute, floatMethods, integerAttribute, integerMethods } from "./numbers.ts";
import { stringMethods } from "./strings.ts";

export type { Method } from "./define.ts";
export { escapeHtml } from "./escape.ts";

/**
 * A method of Python's builtin types: a callable whose first argument is the object itself. Undefined where the type has no
 * method of that name. Whether a template may use it is for the caller to ask: `isMutating`.
 */
export function method(value: Value, name: string): Method | undefined {
  if (typeof value === "string") return stringMethods().get(name);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return integerMethods.get(name);
  if (value instanceof Traced) return method(value.value, name);
  if (value instanceof Dict) return dictMethods.get(name);
  if (value instanceof List) return listMethods.get(name);
  if (value instanceof Markup) return markupMethods().get(name);
  if (value instanceof Tuple) return tupleMethods.get(name);
  if (value instanceof DictView) return value.kind === "values" ? undefined : setViewMethods.get(name);
  if (value instanceof Float) return floatMethods.get(name);
  return value instanceof Range ? rangeMethods.get(name) : undefined;
}

export function hasMethod(value: Value, name: string): boolean {
  return method(value, name) !== undefined;
}

/** The method changes its object: an immutable sandbox does not let it out. */
export function isMutating(value: Value, name: string): boolean {
  if (value instanceof List) return mutatingListMethods.has(name);
  return value instanceof Dict && mutatingDictMethods.has(name);
}

/** An attribute that is no method: `real` of a number, `start` of a range. Undefined where there is none. */
export function dataAttribute(value: Value, name: string): Value | undefined {
  if (value instanceof Range) {
    if (name === "start" || name === "stop" || name === "step") return value[name];
    return undefined;
  }
  const scalar = value instanceof Traced ? value.value : value;
  if (typeof scalar === "number" || typeof scalar === "bigint" || typeof scalar === "boolean") {
    return integerAttribute(value, name);
  }
  return scalar instanceof Float ? floatAttribute(value, name) : undefined;
}
