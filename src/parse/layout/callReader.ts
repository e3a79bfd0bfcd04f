import type { KnownTool, ParserEvent } from "../types.ts";
import type { CompiledCalls } from "./compile.ts";
import type { CallState, ReadingState } from "./layoutState.ts";
import type { Pattern, Waiting } from "./pieces.ts";

export type Progress = "next" | "more" | "fail";

export interface CallReader {
  readonly state: ReadingState & Waiting;
  readonly calls: CompiledCalls;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  readonly events: ParserEvent[];
  /** The call is certain: reports what stands before it, and its beginning. */
  readonly commit: () => void;
  /** Texts that may follow a call, besides those of `calls`. */
  readonly followers: readonly Pattern[];
}

export function callOf({ state }: CallReader): CallState {
  if (!state.call) throw new Error("No call is open.");
  return state.call;
}

/** Takes the next characters into the call. */
export function take(reader: CallReader, length: number, isRaw = true): string {
  const { state } = reader;
  const call = callOf(reader);
  const text = state.buf.slice(0, length);
  if (length === 0) return text;
  state.buf = state.buf.slice(length);
  state.pos += length;
  if (!call.committed) call.past += text;
  if (!isRaw) return text;
  call.raw += text;
  if (call.committed) reader.events.push({ kind: "toolCallDelta", index: state.calls.length, text });
  else call.unreported += text;
  return text;
}

/** The next piece of the arguments' JSON text. */
export function addArguments(reader: CallReader, text: string): void {
  if (text === "") return;
  const call = callOf(reader);
  call.args += text;
  if (call.committed) reader.events.push({ kind: "toolCallArguments", index: reader.state.calls.length, text });
  else call.unreportedArgs += text;
}

/** The name is read. Where a call says it twice, it says the same. */
export function nameCall(reader: CallReader, name: string): void {
  const call = callOf(reader);
  if (call.name === null) call.name = name;
  else if (call.name !== name) call.status = "malformed_structure";
}

/** A tool that is known makes a call. */
export function commitKnown(reader: CallReader): void {
  const { name, committed } = callOf(reader);
  if (committed || name === null) return;
  if (callOf(reader).isLate && !reader.tools) return;
  if (reader.tools ? reader.tools.has(name) : /^[^\s\p{Cc}"'<>{}]+$/u.test(name)) reader.commit();
}
