import type { JsonInput } from "../../messages/index.ts";
import { fieldsOf, isList, isObject } from "./fields.ts";
import { unsupported } from "./problems.ts";

/**
 * What a local `$ref` names. `#/$defs/x` also finds a `$defs` further inside: generators of nested schemas leave them there.
 *
 * @throws TitoError `schema_unsupported`
 */
export function resolveReference(root: JsonInput, reference: string, pointer: string): JsonInput {
  if (reference !== "#" && !reference.startsWith("#/")) {
    unsupported(pointer, `"$ref" names "${reference}", which is not in this schema`, 'Bundle it under "$defs"');
  }
  const steps = reference.split("/").slice(1).map(decodeStep);
  let at: JsonInput | undefined = root;
  for (const step of steps) at = child(at, step);
  if (at === undefined && steps.length === 2 && steps[0] === "$defs") at = nestedDefinition(root, steps[1]);
  if (at === undefined) {
    unsupported(pointer, `"$ref" names ${reference}, where nothing is`, 'Add the definition, or correct the "$ref"');
  }
  return at;
}

function decodeStep(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A lone % stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function child(value: JsonInput | undefined, step: string): JsonInput | undefined {
  if (isList(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return isObject(value) ? fieldsOf(value).get(step) : undefined;
}

function nestedDefinition(root: JsonInput, name: string): JsonInput | undefined {
  const waiting: JsonInput[] = [root];
  for (const value of waiting) {
    if (isList(value)) waiting.push(...value);
    if (!isObject(value)) continue;
    const fields = fieldsOf(value);
    const found = child(fields.get("$defs"), name);
    if (found !== undefined) return found;
    waiting.push(...fields.values());
  }
  return undefined;
}
