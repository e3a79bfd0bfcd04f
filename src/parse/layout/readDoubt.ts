import { speak } from "./heldSpace.ts";
import { initialState, type ReadingState } from "./layoutState.ts";
import { addReasoning, closeReasoning, scanReasoning } from "./reasoningText.ts";
import { isOverread, type ResponseReader, takeText } from "./responseReader.ts";

/*
 * A call that begins inside reasoning. If the reasoning is closed behind it, the call was only talked about; if the response
 * ends first, and what follows the marker reads as calls from there to the end, the reasoning ended before it and its closing
 * marker was forgotten. Until that is known the text is held, and a trial reads it beside: as soon as it is no call, it is
 * reasoning.
 */

/** May a call in the reasoning be one? */
export function mayDoubt({ calls, state }: ResponseReader): boolean {
  const isNamed = calls !== null && (calls.tools === null || calls.tools.size > 0);
  return isNamed && state.trial === null && !isOverread(state, state.pos);
}

/** The marker stands at the buffer's start. */
export function openDoubt(reader: ResponseReader, length: number): void {
  const { state } = reader;
  const { pos: from, calls, reread } = state;
  const trial: ReadingState = {
    ...initialState(),
    pos: from,
    reasoned: true,
    calls: [...calls],
    reread,
    trial: { end: from + length },
  };
  state.doubt = { from, text: "", trial };
  state.mode = "doubt";
  hold(reader, takeText(reader, length));
}

/** False: more text must come. */
export function readDoubt(reader: ResponseReader): boolean {
  const { doubt } = reader.state;
  const { close } = reader.layout.reasoning ?? {};
  if (!doubt || !close) return false;
  const found = scanReasoning(reader, close, []);
  if (!found) return false;
  if (!hold(reader, found.text)) {
    dismiss(reader);
    return true;
  }
  if (found.at < 0) return false;
  speak(reader, leaveDoubt(reader), addReasoning);
  closeReasoning(reader, close, found.at);
  return true;
}

/** The response is over: it is read as calls if it is nothing else. */
export function settleDoubt(reader: ResponseReader): void {
  const { state } = reader;
  const { doubt } = state;
  if (!doubt) return;
  const isCall = hold(reader, takeText(reader, state.buf.length), true);
  const { mode, calls } = doubt.trial;
  if (!isCall || mode === "call" || calls.length === state.calls.length) {
    dismiss(reader);
    return;
  }
  state.buf = leaveDoubt(reader);
  state.pos = doubt.from;
  state.mode = "outside";
  state.gap = "";
  state.trim = null;
}

/** False: it is no call. */
function hold(reader: ResponseReader, text: string, eof = false): boolean {
  const { doubt, atoms } = reader.state;
  if (!doubt) return false;
  const { trial } = doubt;
  doubt.text += text;
  trial.buf += text;
  trial.spoken += text;
  trial.atoms = atoms;
  const fork = reader.fork(trial, eof);
  fork.run();
  doubt.trial = fork.state;
  return fork.state.mode !== "over";
}

/** What was held. */
function leaveDoubt({ state }: ResponseReader): string {
  const text = state.doubt?.text ?? "";
  state.doubt = null;
  state.mode = "reasoning";
  return text;
}

/** It was no call: the reasoning goes on behind its marker, or behind the calls that it could have been. */
function dismiss(reader: ResponseReader): void {
  const { state } = reader;
  const { doubt } = state;
  if (!doubt) return;
  const { from, trial } = doubt;
  const end = trial.trial?.end ?? from;
  const text = leaveDoubt(reader);
  state.reread += Math.max(0, trial.pos - end);
  state.buf = text.slice(end - from) + state.buf;
  state.pos = end;
  speak(reader, text.slice(0, end - from), addReasoning);
}
