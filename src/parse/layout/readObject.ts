import { addArguments, type CallReader, callOf, commitKnown, nameCall, type Progress, take } from "./callReader.ts";
import { newValue, writeValue } from "./jsonWriter.ts";
import type { ObjectElement } from "./layout.ts";
import type { ObjectState } from "./layoutState.ts";
import { afterSpace, MORE } from "./pieces.ts";

/** Models call the arguments by another family's word. */
const argumentKeys = ["arguments", "parameters"];

/** A call that is one JSON object. Its keys may come in any order; arguments that come before the name wait for it. */
export function readObject(reader: CallReader, element: ObjectElement): Progress {
  const { state } = reader;
  const call = callOf(reader);
  call.object ??= {
    phase: "start",
    path: [],
    role: "other",
    value: null,
    text: "",
    hasArguments: false,
    isText: false,
    rest: "",
  };
  const object = call.object;
  for (;;) {
    if (object.phase === "keyText" || object.phase === "valueText") {
      const progress = readPart(reader, element, object);
      if (progress !== "next") return progress;
      continue;
    }
    const start = afterSpace(state, 0);
    if (start === MORE || start >= state.buf.length) return "more";
    take(reader, start);
    const char = state.buf[0];
    if (object.phase === "start") {
      if (char !== "{") return "fail";
      take(reader, 1);
      object.phase = "key";
    } else if (char === "}" && (object.phase === "key" || object.phase === "next")) {
      if (object.phase === "next") object.path.pop();
      commitKnown(reader);
      take(reader, 1);
      object.phase = "next";
      if (object.path.length > 0) continue;
      if (!object.hasArguments) addArguments(reader, "{}");
      return "next";
    } else if (object.phase === "key") {
      if (char !== '"' && char !== "'") return "fail";
      object.phase = "keyText";
      object.value = newValue();
      object.text = "";
    } else if (object.phase === "colon") {
      if (char !== ":") return "fail";
      take(reader, 1);
      object.phase = "value";
    } else if (object.phase === "next") {
      if (char !== ",") return "fail";
      commitKnown(reader);
      take(reader, 1);
      object.path.pop();
      object.phase = "key";
    } else beginValue(reader, element, object, char);
  }
}

function beginValue(reader: CallReader, element: ObjectElement, object: ObjectState, char: string): void {
  const { path } = object;
  const paths = [element.name, element.arguments, ...(element.id ? [element.id] : [])];
  if (element.name.length === 0) {
    // Before the value is read, its key is known to be the name.
    if (path.length === 1 && callOf(reader).name === null) nameCall(reader, path[0]);
    object.role = path.length === 1 && !object.hasArguments ? "arguments" : "other";
    if (char === "{") commitKnown(reader);
  } else {
    object.role = roleOf(path, element, object.hasArguments);
    const isOuter = paths.some((one) => one.length > path.length && path.every((key, at) => key === one[at]));
    if (object.role === "other" && isOuter && char === "{") {
      take(reader, 1);
      object.phase = "key";
      return;
    }
  }
  object.value = newValue();
  object.phase = "valueText";
  object.text = "";
  object.isText = object.role === "arguments" && (char === '"' || char === "'");
  object.rest = "";
}

function roleOf(path: readonly string[], element: ObjectElement, hasArguments: boolean): ObjectState["role"] {
  const is = (other: readonly string[] | null) =>
    other !== null && other.length === path.length && other.every((key, at) => key === path[at]);
  if (is(element.name)) return "name";
  if (is(element.id)) return "id";
  if (hasArguments) return "other";
  const last = path.at(-1) ?? "";
  if (is(element.arguments)) return "arguments";
  return argumentKeys.includes(last) && is([...element.arguments.slice(0, -1), last]) ? "arguments" : "other";
}

function readPart(reader: CallReader, element: ObjectElement, object: ObjectState): Progress {
  const call = callOf(reader);
  const value = object.value ?? newValue();
  object.value = value;
  const isArguments = object.phase === "valueText" && object.role === "arguments";
  const { to, out, isBad } = writeValue(value, reader.state, 0);
  take(reader, to);
  if (isArguments) {
    object.hasArguments = true;
    if (object.isText) addArguments(reader, decoded(object, out, value.phase === "done"));
    else addArguments(reader, out);
  } else if (object.phase === "keyText" || object.role !== "other") object.text += out;
  if (isBad) return "fail";
  if (value.phase !== "done") return "more";
  if (object.phase === "keyText") {
    const key: unknown = JSON.parse(object.text);
    if (typeof key !== "string") return "fail";
    object.path.push(key);
    object.phase = "colon";
    return "next";
  }
  object.phase = "next";
  if (object.role === "name") {
    const name = plain(object.text);
    if (typeof name !== "string" || name === "") return "fail";
    if (call.name === null) nameCall(reader, name);
  } else if (object.role === "id" && element.idIs !== "index") {
    const id = plain(object.text);
    if (typeof id === "string" && id !== "") call.id = id;
    else if (typeof id === "number") call.id = object.text;
  }
  return "next";
}

function plain(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text that the next piece of a JSON string stands for. What is not a whole character yet waits. */
function decoded(object: ObjectState, piece: string, isOver: boolean): string {
  // The first character of `rest` is the opening mark: it says that a string is being read.
  const text = object.rest === "" ? piece.slice(1) : object.rest.slice(1) + piece;
  const whole = isOver ? text.slice(0, -1) : text.replace(/(?<=^|[^\\])((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/, "$1");
  object.rest = `"${text.slice(whole.length)}`;
  return JSON.parse(`"${whole}"`) as string;
}
