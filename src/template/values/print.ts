import { printFloat, pythonRepr } from "../../messages/index.ts";
import { Dict, DictView, Iterator, List, Namespace, Range, Tuple } from "./containers.ts";
import { Float, Markup, Traced, Undefined } from "./scalars.ts";
import type { Source } from "./source.ts";
import { concatTexts, firstSource, type PlainText, TextBuilder, textOf, traced } from "./text.ts";
import { Opaque, PythonError, type Runtime, type Value } from "./types.ts";

export { typeName } from "./typeName.ts";

/** `str()` of a value: what printing it gives. */
export function str(runtime: Runtime, value: Value): PlainText {
  if (typeof value === "string") return value;
  if (value instanceof Traced) {
    return typeof value.value === "string" ? value : traced(scalarText(value.value), value.source);
  }
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return "";
  return repr(runtime, value);
}

/** `repr()` of a value. What the context holds keeps its source; brackets that the template made have none. */
export function repr(runtime: Runtime, value: Value): PlainText {
  if (value instanceof Traced || !(value instanceof Object)) return reprScalar(value as Traced);
  const out = new TextBuilder(runtime);
  print(runtime, out, value, null, []);
  return out.text();
}

function reprScalar(value: Exclude<Value, object> | Traced): PlainText {
  if (value instanceof Traced) return traced(scalarRepr(value.value), firstSource(value));
  return scalarRepr(value);
}

function scalarText(value: Traced["value"]): string {
  return typeof value === "string" ? value : scalarRepr(value);
}

function scalarRepr(value: Traced["value"]): string {
  if (typeof value === "string") return pythonRepr(value);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "bigint") return integerText(value);
  return printFloat(value.value, { nan: "nan", infinity: "inf" });
}

/** CPython refuses to print integers of more than 4300 digits. */
function integerText(value: bigint): string {
  const text = value.toString();
  if (text.length > 4300 + (value < 0n ? 1 : 0)) {
    throw new PythonError("ValueError", "an integer of more than 4300 digits cannot be printed");
  }
  return text;
}

/** Prints into `out`; inside a container of the context everything has the container's source. */
function print(
  runtime: Runtime,
  out: TextBuilder,
  value: Value,
  inherited: Source | null,
  open: readonly Value[],
): void {
  runtime.charge(1);
  if (value instanceof List || value instanceof Dict) {
    const source = inherited ?? value.source;
    const [start, end] = value instanceof List ? "[]" : "{}";
    if (open.includes(value)) {
      out.add(`${start}...${end}`, source);
      return;
    }
    const inside = [...open, value];
    out.add(start!, source);
    let first = true;
    if (value instanceof List) {
      for (const item of value.items) {
        if (!first) out.add(", ", source);
        first = false;
        print(runtime, out, item, source, inside);
      }
    } else {
      for (const [key, item] of value.entries()) {
        if (!first) out.add(", ", source);
        first = false;
        print(runtime, out, key, source, inside);
        out.add(": ", source);
        print(runtime, out, item, source, inside);
      }
    }
    out.add(end!, source);
    return;
  }
  if (value instanceof Tuple) {
    printItems(runtime, out, "(", value.items, value.items.length === 1 ? ",)" : ")", inherited, open);
    return;
  }
  if (value instanceof DictView) {
    const items = viewItems(value);
    printItems(runtime, out, `dict_${value.kind}([`, items, "])", inherited, open);
    return;
  }
  if (value instanceof Namespace) {
    out.add("<Namespace ", inherited);
    const dict = new Dict();
    for (const [name, attribute] of value.attributes) dict.set(name, attribute);
    print(runtime, out, dict, inherited, open);
    out.add(">", inherited);
    return;
  }
  if (value instanceof Traced) {
    out.add(scalarRepr(value.value), inherited ?? firstSource(value));
    return;
  }
  out.add(reprOther(runtime, value), inherited ?? firstSource(value));
}

function printItems(
  runtime: Runtime,
  out: TextBuilder,
  start: string,
  items: readonly Value[],
  end: string,
  source: Source | null,
  open: readonly Value[],
): void {
  out.add(start, source);
  items.forEach((item, index) => {
    if (index > 0) out.add(", ", source);
    print(runtime, out, item, source, open);
  });
  out.add(end, source);
}

/** A view's items in order; pairs are tuples. */
export function viewItems({ kind, dict }: DictView): Value[] {
  if (kind === "keys") return dict.keys();
  if (kind === "values") return dict.values();
  return Array.from(dict.entries(), (pair) => new Tuple(pair));
}

function reprOther(
  runtime: Runtime,
  value: Exclude<Value, List | Dict | Tuple | DictView | Namespace | Traced>,
): string {
  if (!(value instanceof Object)) return scalarRepr(value);
  if (value instanceof Float) return scalarRepr(value);
  if (value instanceof Markup) return `Markup(${pythonRepr(textOf(value))})`;
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Range) {
    return `range(${value.start}, ${value.stop}${value.step === 1 ? "" : `, ${value.step}`})`;
  }
  if (value instanceof Opaque) return value.print?.(runtime) ?? `<${value.typeName} object>`;
  if (value instanceof Iterator) return `<${value.typeName} object>`;
  return value.typeName === "Macro" ? `<Macro ${pythonRepr(value.name)}>` : `<${value.typeName} ${value.name}>`;
}

/** `str()` of several values, one after another: what `~` does. */
export function concatenated(runtime: Runtime, values: readonly Value[]): PlainText {
  const texts = values.map((value) => str(runtime, value));
  let length = 0;
  for (const text of texts) length += textOf(text).length;
  runtime.allow(length);
  return concatTexts(texts);
}
