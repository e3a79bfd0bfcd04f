import { openCall } from "./openCall.ts";
import { openContent, openPart } from "./openParts.ts";
import { markerAt } from "./partMarkers.ts";
import { afterSpace, MORE, NO } from "./pieces.ts";
import { type ResponseReader, spacesAhead, takeText } from "./responseReader.ts";

/** Where no part is open. False: more text must come. */
export function readOutside(reader: ResponseReader): boolean {
  const { state } = reader;
  const space = spacesAhead(reader);
  if (space > 0) state.gap += takeText(reader, space);
  if (state.buf === "") return false;
  const found = markerAt(reader, reader.outside, 0);
  if (found === MORE) return false;
  if (found !== NO) {
    openPart(reader, found);
    return true;
  }
  const { calls } = reader;
  const { layout, reasoning } = reader.layout;
  const isFirst = !state.said && state.calls.length === 0;
  if (calls?.calls.bare && (isFirst || state.afterCalls)) {
    const at = state.afterCalls && state.buf[0] === ";" ? afterSpace(state, 1) : 0;
    if (at === MORE || (at > 0 && at >= state.buf.length && !state.eof)) return false;
    if (state.buf[at] === "{") {
      openCall(reader, { start: at, end: at, marker: null });
      return true;
    }
  }
  if (
    calls &&
    state.afterGlue &&
    calls.calls.section === null &&
    calls.calls.first.pieces.length === 0 &&
    !calls.calls.bare
  ) {
    openCall(reader, { start: 0, end: 0, marker: null });
    return true;
  }
  const isImplied =
    reasoning !== null && reader.readsReasoning && (layout.reasoning?.implied || layout.reasoning?.open === "");
  if (isImplied && !state.reasoned && isFirst) {
    state.mode = "implied";
    state.held = state.gap;
    state.gap = "";
    return true;
  }
  openContent(reader, false, state.trim);
  return true;
}
