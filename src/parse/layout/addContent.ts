import { begun } from "./heldSpace.ts";
import type { ResponseReader } from "./responseReader.ts";

export function addContent(reader: ResponseReader, text: string): void {
  const { state } = reader;
  if (text === "") return;
  state.said = true;
  if (state.fence !== "none") {
    state.fenceText += text;
    readJsonFence(reader);
    return;
  }
  state.content += text;
  reader.events.push({ kind: "content", text });
}

/** A fence around JSON is taken off. Its end can only be told when the response is over. */
export function readJsonFence(reader: ResponseReader): void {
  const { state } = reader;
  const text = state.fenceText;
  if (state.fence === "unknown") {
    const opening = /^\s*```(?:json)?[ \t]*\n/.exec(text);
    if (opening) {
      state.fence = "open";
      state.fenceText = text.slice(opening[0].length);
      readJsonFence(reader);
    } else if (state.eof || !/^\s*(?:`{0,2}|```(?:j|js|jso|json)?[ \t]*)$/.test(text)) {
      state.fence = "none";
      state.fenceText = "";
      addContent(reader, text);
    }
    return;
  }
  const end = state.eof ? /\s*```\s*$/.exec(text) : null;
  const held = /\s*(?:`{1,3}\s*)?$/.exec(text.slice(-256))?.[0].length ?? 0;
  const sure = end ? text.slice(0, end.index) : state.eof ? text : text.slice(0, text.length - held);
  state.fenceText = state.eof ? "" : text.slice(sure.length);
  if (sure === "") return;
  state.content += sure;
  reader.events.push({ kind: "content", text: sure });
}

/** Content is over: white space that the layout writes behind it is taken off. */
export function endContent(reader: ResponseReader, edge: string): void {
  const { state } = reader;
  const { gap } = state;
  state.gap = "";
  const said = gap.endsWith(edge) ? gap.slice(0, gap.length - edge.length) : "";
  if (state.trim !== null) begun(reader, said, addContent);
  else addContent(reader, said);
}
