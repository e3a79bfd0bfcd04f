import type { CallState } from "./layoutState.ts";
import type { PlacedMarker } from "./partMarkers.ts";
import { isOverread, type ResponseReader, takeText } from "./responseReader.ts";

/** `marker`: null where the call has none. */
export function openCall(
  reader: ResponseReader,
  { start, end, marker }: Pick<PlacedMarker, "start" | "end"> & { readonly marker: PlacedMarker["marker"] | null },
): void {
  const { state } = reader;
  const calls = reader.calls?.calls;
  if (!calls) return;
  const isLate = marker?.kind === "lateCall";
  const inSection = calls.section !== null && !isLate;
  const from = state.pos;
  const past = takeText(reader, end);
  const skipsFirst = !inSection && calls.first.pieces.length > 0;
  const resume = state.mode === "implied" ? "implied" : state.mode === "content" ? "content" : "outside";
  state.mode = "call";
  state.call = newCall({
    from,
    past,
    markerLength: past.length,
    resume,
    element: skipsFirst ? 1 : 0,
    start: inSection ? -1 : from + start,
    isLate,
    isLimited: isOverread(state, from),
  });
  if (marker === null) state.call.markerLength = start === 0 ? 0 : past.length;
}

type CallBeginning = Pick<
  CallState,
  "from" | "past" | "markerLength" | "resume" | "element" | "isLate" | "isLimited"
> & { readonly start: number };

export function newCall({
  from,
  past,
  markerLength,
  resume,
  element,
  start,
  isLate,
  isLimited,
}: CallBeginning): CallState {
  return {
    from,
    past,
    markerLength,
    resume,
    element,
    isLate,
    isLimited,
    firstId: start,
    name: null,
    id: null,
    committed: false,
    raw: "",
    unreported: "",
    args: "",
    unreportedArgs: "",
    status: "ok",
    lost: false,
    object: null,
    tagged: null,
    value: null,
  };
}
