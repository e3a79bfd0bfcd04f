import { Dict, DictView, Iterator, List, Namespace, Range, Tuple } from "./containers.ts";
import { Float, Markup, Traced, Undefined } from "./scalars.ts";
import type { Value } from "./types.ts";

/** Python's name of a value's type, as its errors print it. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "string":
      return "str";
    case "number":
    case "bigint":
      return "int";
    case "boolean":
      return "bool";
  }
  if (value === null) return "NoneType";
  if (value instanceof Traced) return typeName(value.value);
  if (value instanceof Dict) return "dict";
  if (value instanceof List) return "list";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Float) return "float";
  if (value instanceof Markup) return "Markup";
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof DictView) return `dict_${value.kind}`;
  if (value instanceof Range) return "range";
  if (value instanceof Namespace) return "Namespace";
  if (value instanceof Iterator) return value.typeName;
  return value.typeName;
}
