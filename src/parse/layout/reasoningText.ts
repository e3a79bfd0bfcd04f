import { begun } from "./heldSpace.ts";
import { findPart, MORE, matchAt, NO, type Pattern } from "./pieces.ts";
import { type ResponseReader, takeText } from "./responseReader.ts";

/** The closing marker stands at the buffer's start. */
export function closeReasoning(reader: ResponseReader, { lead, trail }: Pattern, length: number): void {
  const { state } = reader;
  const gap = state.gap.endsWith(lead) ? state.gap.slice(0, state.gap.length - lead.length) : state.gap;
  if (state.trim !== null) begun(reader, gap, addReasoning);
  else addReasoning(reader, gap);
  takeText(reader, length);
  endReasoning(reader, trail);
}

export function addReasoning(reader: ResponseReader, text: string): void {
  const { reasoning } = reader.state;
  if (text === "" || !reasoning) return;
  reasoning.text += text;
  reader.events.push({ kind: "reasoning", text });
}

export function endReasoning(reader: ResponseReader, trim: string): void {
  const { state } = reader;
  if (state.reasoning) state.reasoning.complete = true;
  reader.events.push({ kind: "reasoningEnd" });
  state.mode = "outside";
  state.gap = "";
  state.trim = trim;
  state.afterGlue = reader.layout.glue.length > 0;
}

/**
 * Text up to the closing marker or a call's, which then stands at the buffer's start and is `at` long (`NO`: none in sight).
 * Null: nothing to read.
 */
export function scanReasoning(
  reader: ResponseReader,
  close: Pattern,
  openers: readonly Pattern[],
): { readonly text: string; readonly at: number; readonly isClose: boolean } | null {
  const { state } = reader;
  const patterns = [close, ...openers];
  const upTo = (found: number, at: number, isClose = false) => ({ text: takeText(reader, found), at, isClose });
  for (let at = 0; ; ) {
    let found = state.buf.length;
    for (const { pieces } of patterns)
      if (pieces.length > 0) found = Math.min(found, findPart(state.buf, pieces[0].text, at));
    if (found >= state.buf.length) return state.buf === "" ? null : upTo(found, NO);
    let end = NO;
    for (const pattern of patterns) {
      end = pattern.pieces.length > 0 ? matchAt(state, found, pattern) : NO;
      if (end === MORE) return found === 0 ? null : upTo(found, NO);
      if (end >= 0) return upTo(found, end - found, pattern === close);
    }
    at = found + 1;
  }
}
