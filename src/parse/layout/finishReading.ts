import { addContent, readJsonFence } from "./addContent.ts";
import { begun, speak } from "./heldSpace.ts";
import { matchedPieces } from "./pieces.ts";
import { dropNothing } from "./readNothing.ts";
import { addReasoning, endReasoning } from "./reasoningText.ts";
import { type ResponseReader, takeText } from "./responseReader.ts";

export function finishReading(reader: ResponseReader): void {
  const { state } = reader;
  const { end, content } = reader.layout;
  const add = (text: string) => addContent(reader, text);
  if (state.mode === "reasoning") {
    const close = reader.layout.reasoning?.close;
    if (close && state.buf !== "" && matchedPieces(state, 0, close) > 0) {
      takeText(reader, state.buf.length);
      endReasoning(reader, "");
    } else {
      const text = state.gap + takeText(reader, state.buf.length);
      state.gap = "";
      if (state.trim !== null) {
        const start = text.length - text.trimStart().length;
        begun(reader, text.slice(0, start), addReasoning);
        addReasoning(reader, text.slice(start));
      } else addReasoning(reader, text);
    }
  } else if (state.mode === "implied") {
    const text = state.held + state.gap + takeText(reader, state.buf.length);
    state.held = "";
    state.gap = "";
    state.mode = "content";
    addContent(reader, end.text !== "" && text.endsWith(end.text) ? text.slice(0, -end.text.length) : text);
  } else if (state.mode === "content" || state.mode === "nothing") {
    if (state.mode === "nothing") dropNothing(reader);
    speak(reader, takeText(reader, state.buf.length), addContent);
    const edge = state.wrapped ? content.close.lead : end.lead;
    if (state.trim !== null) begun(reader, state.gap, addContent);
    else add(edge !== "" && state.gap.endsWith(edge) ? state.gap.slice(0, state.gap.length - edge.length) : state.gap);
    state.gap = "";
  } else if (state.mode === "outside" && !state.afterCalls && !state.wrapped) {
    const gap = state.gap;
    state.gap = "";
    const trim = state.trim ?? "";
    const text = gap.startsWith(trim) ? gap.slice(trim.length) : "";
    if (!state.said && !state.afterGlue)
      add(text.endsWith(end.text) ? text.slice(0, text.length - end.text.length) : text);
  }
  if (state.fence !== "none") readJsonFence(reader);
}
