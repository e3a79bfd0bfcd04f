import { isDigit } from "../methods/characters.ts";
import { cutter } from "../methods/cut.ts";
import { escapeText } from "../methods/escape.ts";
import { attribute, item } from "../values/attributes.ts";
import { Dict } from "../values/containers.ts";
import { repr, str } from "../values/print.ts";
import { Markup, type Text, Undefined } from "../values/scalars.ts";
import { type PlainText, TextBuilder, textOf } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { ascii } from "./ascii.ts";
import { formatValue } from "./formatSpec.ts";
import { readTemplate } from "./formatTemplate.ts";

/** Where a field's first name is looked up: arguments by name, or what `format_map` was given. */
export type NamedArguments = ReadonlyMap<string, Value> | Value;

/**
 * Python's `str.format` as the sandbox has it: attributes and items are looked up as a template does. Where the format is
 * Markup, what is put in is escaped; the caller makes Markup of the result.
 *
 * @throws PythonError `ValueError` for a format that cannot be read, `IndexError` and `KeyError` for missing arguments.
 */
export function strFormat(
  runtime: Runtime,
  format: Text,
  positional: readonly Value[],
  named: NamedArguments,
): PlainText {
  const state: State = { runtime, positional, named, escapes: format instanceof Markup, next: 0 };
  return expand(state, format instanceof Markup ? format.text : format, 2);
}

interface State {
  readonly runtime: Runtime;
  readonly positional: readonly Value[];
  readonly named: NamedArguments;
  readonly escapes: boolean;
  /** Number of the next field without a name; null: fields are numbered by hand. */
  next: number | null;
}

/** A format's spec may hold fields, whose specs may not. */
function expand(state: State, format: PlainText, depth: number): PlainText {
  if (depth < 0) throw new PythonError("ValueError", "fields of a format are nested too deeply");
  const text = textOf(format);
  const part = cutter(format);
  const out = new TextBuilder(state.runtime);
  for (const { start, end, field } of readTemplate(text)) {
    out.addText(part(start, end));
    if (field === null) continue;
    const value = convert(state.runtime, lookUp(state, numbered(state, field.name)), field.conversion);
    const spec = textOf(expand(state, field.spec, depth - 1));
    out.addText(formatField(state, value, spec));
  }
  return out.text();
}

function formatField({ runtime, escapes }: State, value: Value, spec: string): PlainText {
  if (!escapes) return formatValue(runtime, value, spec);
  if (!(value instanceof Markup)) return escapeText(formatValue(runtime, value, spec));
  if (spec !== "") throw new PythonError("ValueError", "Markup takes no format when it is put into Markup");
  return value.text;
}

/** A field without a name has the next number; the two ways of numbering do not mix. */
function numbered(state: State, name: string): string {
  const byHand = name !== "" && Array.from(name).every(isDigit);
  if (name !== "" && !byHand) return name;
  if (byHand ? state.next : state.next === null) {
    throw new PythonError("ValueError", "the format mixes fields with and without numbers: number all of them or none");
  }
  if (byHand) {
    state.next = null;
    return name;
  }
  const next = state.next!;
  state.next = next + 1;
  return String(next);
}

function convert(runtime: Runtime, value: Value, conversion: string | null): Value {
  switch (conversion) {
    case null:
      return value;
    case "s":
      return str(runtime, value);
    case "r":
      return repr(runtime, value);
    case "a":
      return ascii(repr(runtime, value));
  }
  throw new PythonError("ValueError", `"!${conversion}" is no conversion: there are !s, !r and !a`);
}

/** `0.name[key]`: an argument, and attributes and items from there. */
function lookUp(state: State, name: string): Value {
  const { runtime } = state;
  const first = /^[^.[]*/.exec(name)![0];
  let value = argument(state, first);
  let at = first.length;
  while (at < name.length) {
    const mark = name.charAt(at++);
    if (mark === ".") {
      const key = /^[^.[]*/.exec(name.slice(at))![0];
      if (key === "") throw emptyName();
      value = attribute(runtime, value, key);
      at += key.length;
    } else if (mark === "[") {
      const close = name.indexOf("]", at);
      if (close === -1) throw new PythonError("ValueError", `a "[" in the format's field "${name}" is not closed`);
      const key = name.slice(at, close);
      const index = indexOf(key);
      if (key === "") throw emptyName();
      value = item(runtime, value, index ?? key);
      at = close + 1;
    } else {
      throw new PythonError("ValueError", `only "." or "[" may follow a "]" in the format's field "${name}"`);
    }
  }
  return value;
}

function emptyName(): PythonError {
  return new PythonError("ValueError", "a field of the format has an attribute without a name");
}

function argument({ positional, named }: State, name: string): Value {
  const index = indexOf(name);
  if (index !== null) {
    const value = positional[index];
    if (value === undefined) throw new PythonError("IndexError", `the format has no argument ${index}`);
    return value;
  }
  const value = byName(named, name);
  if (value === undefined) throw new PythonError("KeyError", `the format has no argument "${name}"`);
  return value;
}

function byName(named: NamedArguments, name: string): Value | undefined {
  if (named instanceof Map) return named.get(name);
  const mapping = named as Value;
  if (mapping instanceof Dict) return mapping.get(name);
  if (mapping instanceof Undefined) refuseUndefined(mapping);
  throw new PythonError("TypeError", `format_map() needs a dict, found ${typeName(mapping)}`);
}

/** A name of decimal digits is a number; null: it is none. */
function indexOf(name: string): number | null {
  if (!/^[0-9]+$/.test(name)) return null;
  if (BigInt(name) > 0x7fffffffffffffffn) throw new PythonError("ValueError", "a number in the format is too large");
  return Number(name);
}
