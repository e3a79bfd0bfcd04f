import { addContent, endContent } from "./addContent.ts";
import { speak } from "./heldSpace.ts";
import { openCall } from "./openCall.ts";
import { openPart } from "./openParts.ts";
import { firstOf, markerAt, type PlacedMarker } from "./partMarkers.ts";
import { MORE, matchAt, NO, type Pattern } from "./pieces.ts";
import { addReasoning, endReasoning } from "./reasoningText.ts";
import { type ResponseReader, takeText } from "./responseReader.ts";

/** Content, or what is reasoning if its closing marker comes. False: more text must come. */
export function readContent(reader: ResponseReader): boolean {
  const { state } = reader;
  const isImplied = state.mode === "implied";
  const close = reader.layout.reasoning?.close;
  const markers = reader.inside;
  for (let at = 0; ; ) {
    const found = firstOf(reader, markers, isImplied && close ? close : null, at);
    const marker =
      found < state.buf.length
        ? markerAt(
            reader,
            isImplied ? markers.filter(({ kind }) => kind === "call" || kind === "lateCall") : markers,
            found,
          )
        : NO;
    const closes = isImplied && close && found < state.buf.length ? matchAt(state, found, close) : NO;
    if (closes >= 0 && close) {
      state.held += state.gap + takeText(reader, found);
      state.gap = "";
      takeText(reader, closes - found);
      impliedReasoning(reader, close);
      return true;
    }
    if (marker === NO && closes === NO && found < state.buf.length) {
      at = found + 1;
      continue;
    }
    if (state.buf !== "") speak(reader, takeText(reader, found), sayOrHold);
    if (typeof marker === "number" || closes === MORE) return false;
    openPartInside(reader, { marker: marker.marker, start: marker.start - found, end: marker.end - found });
    return true;
  }
}

function sayOrHold(reader: ResponseReader, text: string): void {
  const { state } = reader;
  if (state.mode === "implied") state.held += text;
  else addContent(reader, text);
}

function impliedReasoning(reader: ResponseReader, close: Pattern): void {
  const { state } = reader;
  const { held } = state;
  state.held = "";
  state.reasoned = true;
  state.reasoning = { text: "", complete: false };
  state.trim = null;
  addReasoning(reader, held.endsWith(close.lead) ? held.slice(0, held.length - close.lead.length) : held);
  endReasoning(reader, close.trail);
}

function openPartInside(reader: ResponseReader, found: PlacedMarker): void {
  const { state } = reader;
  const { kind } = found.marker;
  if (kind === "call" || kind === "lateCall") {
    openCall(reader, found);
    return;
  }
  if (kind === "nothing") {
    state.mode = "nothing";
    state.held = takeText(reader, found.end);
    return;
  }
  const { close } = reader.layout.content;
  const edge = kind === "contentClose" ? close.lead : "";
  endContent(reader, edge);
  openPart(reader, found);
  state.said = true;
}
