import { type JsonInput, quoteJson } from "../../messages/index.ts";
import { schemaTypes } from "../calls/schemaTypes.ts";
import type { CompiledForm, CompiledTagged } from "./compile.ts";
import { heldValue, member } from "./heldValue.ts";
import { matchAt, NO, type Pattern, type Waiting } from "./pieces.ts";

/** Nested tags as JSON text; undefined where the text is none. The schema says what is a string. */
export function elementsValue(
  text: string,
  schema: JsonInput | undefined,
  { forms, prefix }: CompiledTagged,
  form: CompiledForm,
): string | undefined {
  const { writing } = form.form;
  if (writing.kind !== "elements" || prefix.pieces.length === 0) return undefined;
  const { item } = writing;
  const leaf = forms.find((one) => one.form.writing.kind === "raw") ?? form;
  const reader: Waiting = { buf: text, pos: 0, atoms: null, eof: true };
  const read = (from: number, to: number, inner: JsonInput | undefined, depth: number): string | undefined => {
    const types = schemaTypes(inner);
    const body = text.slice(from, to);
    const starts = matchAt(reader, from, prefix);
    // What may be text is text: nothing tells its markup from tags.
    const nested = types === null || (!types.has("string") && (types.has("object") || types.has("array")));
    if (starts >= 0 && starts <= to && nested && depth < 200) {
      const children = childrenOf(from, to, inner, depth);
      if (children) return children;
    }
    if (body.trim() === "" && types?.has("array") && !types.has("string")) return "[]";
    if (body.trim() === "" && types?.has("object") && !types.has("string")) return "{}";
    return depth === 0 ? undefined : heldValue(body, types, true).json;
  };
  const childrenOf = (from: number, to: number, inner: JsonInput | undefined, depth: number): string | undefined => {
    const names: string[] = [];
    const values: string[] = [];
    let at = from;
    while (text.slice(at, to).trim() !== "") {
      const start = matchAt(reader, at, prefix);
      if (start < 0) return undefined;
      const [name, body] = headOf(start, leaf.between) ?? [undefined, 0];
      if (name === undefined) return undefined;
      const end = endOf(name, body, to);
      if (!end) return undefined;
      const own = name === item ? (member(inner, "items") ?? childSchema(inner, name)) : childSchema(inner, name);
      const value = read(body, end[0], own, depth + 1);
      if (value === undefined) return undefined;
      names.push(name);
      values.push(value);
      at = end[1];
    }
    const types = schemaTypes(inner);
    const isNamed = childSchema(inner, item) !== undefined;
    const isList =
      names.every((name) => name === item) && !isNamed && (types?.has("object") !== true || types.has("array"));
    if (isList) return `[${values.join(", ")}]`;
    return `{${names.map((name, index) => `${quoteJson(name, false)}: ${values[index]}`).join(", ")}}`;
  };
  const headOf = (from: number, between: Pattern): readonly [name: string, body: number] | undefined => {
    const needle = between.pieces[0]?.text;
    const at = needle === undefined ? -1 : text.indexOf(needle, from);
    const end = at < 0 ? NO : matchAt(reader, at, between);
    return end < 0 ? undefined : [text.slice(from, at).trim(), end];
  };
  /** The closing tag of the same depth. */
  const endOf = (name: string, from: number, to: number): readonly [end: number, next: number] | undefined => {
    const suffix = leaf.suffix(name);
    const needle = suffix.pieces[0]?.text;
    if (needle === undefined) return undefined;
    let depth = 0;
    for (let at = text.indexOf(needle, from); at >= 0 && at < to; at = text.indexOf(needle, at + 1)) {
      const closes = matchAt(reader, at, suffix);
      if (closes >= 0) {
        if (depth === 0) return [at, closes];
        depth--;
        continue;
      }
      const opens = matchAt(reader, at, prefix);
      const head = opens < 0 ? undefined : headOf(opens, leaf.between);
      if (head?.[0] === name) depth++;
    }
    return undefined;
  };
  return read(0, text.length, schema, 0);
}

function childSchema(schema: JsonInput | undefined, name: string): JsonInput | undefined {
  const own = member(member(schema, "properties"), name);
  if (own !== undefined) return own;
  for (const alternatives of [member(schema, "anyOf"), member(schema, "oneOf")]) {
    for (const one of Array.isArray(alternatives) ? (alternatives as readonly JsonInput[]) : []) {
      const inner = childSchema(one, name);
      if (inner !== undefined) return inner;
    }
  }
  const additional = member(schema, "additionalProperties");
  return typeof additional === "boolean" ? undefined : additional;
}
