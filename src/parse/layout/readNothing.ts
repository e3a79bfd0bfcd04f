import { addContent } from "./addContent.ts";
import { speak } from "./heldSpace.ts";
import { markerAt } from "./partMarkers.ts";
import { afterSpace, MORE, matchAt, NO } from "./pieces.ts";
import { type ResponseReader, takeText } from "./responseReader.ts";

/*
 * Models write reasoning without any text also where none belongs. It is dropped where the response is over behind it, or another
 * part begins; before more content it may be talked about, and is content.
 */

/** False: more text must come. */
export function readNothing(reader: ResponseReader): boolean {
  const { state } = reader;
  const { close } = reader.layout.reasoning ?? {};
  const start = afterSpace(state, 0);
  if (!close || start === MORE || start >= state.buf.length) return false;
  const again = matchAt(state, 0, close);
  if (again === MORE) return false;
  if (again >= 0) {
    state.held += takeText(reader, again);
    return true;
  }
  const next = markerAt(reader, reader.inside, start);
  if (next === MORE) return false;
  if (next !== NO && next.marker.kind === "nothing") {
    state.held += takeText(reader, next.end);
    return true;
  }
  const text = state.held;
  state.held = "";
  state.mode = "content";
  if (next !== NO) takeText(reader, start);
  else speak(reader, text, addContent);
  return true;
}

/** The response is over. */
export function dropNothing({ state }: ResponseReader): void {
  state.held = "";
  state.pos += state.buf.length;
  state.buf = "";
}
