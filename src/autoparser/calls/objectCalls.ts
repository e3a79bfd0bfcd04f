import { equalJson, type JsonInput, type JsonValue, pythonJson, tryParseJson } from "../../messages/index.ts";
import type { JsonStyle, ObjectElement } from "../../parse/layout/layout.ts";
import type { Turn } from "../probe/turn.ts";
import type { ProbeCall } from "../probe/types.ts";
import { type FoundJson, objectAt } from "../text/jsonIn.ts";

type Path = readonly string[];

/** The outermost JSON object from `from` on that holds the call's name and arguments. */
export function callObject(turn: Turn, index: number, call: ProbeCall, from: number): FoundJson | null {
  const first = turn.pieces.find(({ slot }) => slot?.call === index && (slot.kind === "name" || slot.kind === "call"));
  if (first === undefined) return null;
  const limit = first.start + (first.slot?.kind === "call" ? first.text.length : 0);
  for (let at = turn.text.indexOf("{", from); at >= 0 && at <= limit; at = turn.text.indexOf("{", at + 1)) {
    const found = objectAt(turn.text, at);
    if (found && found.end > first.start && shapeOf(found.value, call)) return found;
  }
  return null;
}

interface Shape {
  readonly name: Path;
  readonly arguments: Path;
  readonly argumentsAreText: boolean;
}

function shapeOf(
  value: ReadonlyMap<string, JsonValue>,
  { function: { name, arguments: args } }: ProbeCall,
): Shape | null {
  if (value.has(name) && equalJson(value.get(name)!, args as JsonInput)) {
    return { name: [], arguments: [], argumentsAreText: false };
  }
  const namePath = pathTo(value, (one) => one === name);
  if (namePath === null) return null;
  const direct = pathTo(value, (one) => one instanceof Map && equalJson(one, args as JsonInput));
  if (direct) return { name: namePath, arguments: direct, argumentsAreText: false };
  const isText = (one: JsonValue) => {
    const read = typeof one === "string" ? tryParseJson(one) : null;
    return read?.ok === true && equalJson(read.value, args as JsonInput);
  };
  const text = pathTo(value, isText);
  return text && { name: namePath, arguments: text, argumentsAreText: true };
}

function pathTo(value: JsonValue, isIt: (value: JsonValue) => boolean): Path | null {
  if (isIt(value)) return [];
  if (!(value instanceof Map)) return null;
  for (const [key, inner] of value) {
    const rest = pathTo(inner, isIt);
    if (rest) return [key, ...rest];
  }
  return null;
}

/** How the object is made, from one that was written for `call`. */
export function objectElement(text: string, found: FoundJson, call: ProbeCall, index: number): ObjectElement {
  const shape = shapeOf(found.value, call)!;
  const id = pathTo(found.value, (one) => one === call.id);
  const number = id ? null : pathTo(found.value, (one) => one === String(index));
  const fixed = (key: string, value: JsonValue) =>
    [shape.name[0], shape.arguments[0], (id ?? number)?.[0]].includes(key)
      ? {}
      : { fixed: pythonJson(value as JsonInput) };
  return {
    kind: "object",
    name: shape.name,
    arguments: shape.arguments,
    id: id ?? number,
    ...(number ? { idIs: "index" as const } : {}),
    ...(shape.argumentsAreText ? { argumentsAreText: true } : {}),
    order: shape.name.length === 0 ? [] : [...found.value].map(([key, value]) => ({ key, ...fixed(key, value) })),
    style: styleOf(text.slice(found.start, found.end), text.slice(0, found.start)),
  };
}

/** White space and separators as written, from an object of two members or more where there are so many. */
function styleOf(text: string, before: string): JsonStyle {
  const key = /^\{\s*"(?:[^"\\]|\\.)*"(\s*:\s*)/.exec(text)?.[1] ?? ": ";
  const newline = /^\{\n([ \t]*)/.exec(text);
  if (newline) {
    const outer = /(?:^|\n)([ \t]*)$/.exec(before)?.[1]?.length ?? 0;
    const indent = Math.max(1, newline[1]!.length - outer);
    return { itemSeparator: ",", keySeparator: key, indent, depth: Math.round(outer / indent) };
  }
  const item =
    /^\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^,"{}[\]]+|\{[^{}]*\})(,\s*)"/.exec(text)?.[1] ?? ", ";
  return { itemSeparator: item, keySeparator: key, indent: null };
}
