import type { PartMarker } from "./compile.ts";
import { findPart, MORE, matchAt, NO, type Pattern } from "./pieces.ts";
import type { ResponseReader } from "./responseReader.ts";

/** Its prefix stands before `start`. */
export interface PlacedMarker {
  readonly marker: PartMarker;
  readonly start: number;
  readonly end: number;
}

/** The marker that stands at `at`, the longest one; `MORE` if that depends on what follows. */
export function markerAt(
  reader: ResponseReader,
  markers: readonly PartMarker[],
  at: number,
): PlacedMarker | typeof NO | typeof MORE {
  for (const marker of markers) {
    if (!isHeeded(reader, marker)) continue;
    const start = matchAt(reader.state, at, marker.prefix);
    const end = start >= 0 ? matchAt(reader.state, start, marker.pattern) : start;
    if (end === MORE) return MORE;
    if (end >= 0 && !(marker.kind === "lateCall" && followsOpener(reader, start))) return { marker, start, end };
  }
  return NO;
}

/** The marker that is missing stands there, but as text: spelled with other tokens, it is only talked about. */
function followsOpener(reader: ResponseReader, at: number): boolean {
  const { calls } = reader.layout;
  const missing = calls?.section?.open.text.trim() ?? calls?.first.pieces[0]?.text ?? "";
  const { spoken, buf } = reader.state;
  const place = spoken.length - buf.length + at;
  const before = spoken.slice(Math.max(0, place - missing.length - 64), place);
  return before.trimEnd().endsWith(missing);
}

function isHeeded(reader: ResponseReader, { kind, prefix }: PartMarker): boolean {
  const { mode, reasoned, said, wrapped, reasoning } = reader.state;
  switch (kind) {
    case "reasoning":
      return (
        (!reasoned && !said) ||
        reader.layout.layout.reasoning?.repeats === true ||
        (prefix.pieces.length > 0 && !reasoned)
      );
    case "strayClose":
      return mode === "outside" && ((!said && reasoning === null) || reader.layout.layout.reasoning?.repeats === true);
    case "nothing":
      return (mode === "content" || mode === "nothing") && reader.layout.layout.reasoning?.repeats !== true;
    case "contentClose":
      return wrapped;
    case "glue":
      return mode === "outside" || !wrapped || reader.layout.content.close.pieces.length === 0;
    case "call":
    case "lateCall":
      return reader.calls !== null;
    case "sectionClose":
      return reader.state.afterCalls;
    default:
      return mode === "outside" || !wrapped || prefix.pieces.length > 0;
  }
}

/** Where something stands that may be a marker. */
export function firstOf(
  reader: ResponseReader,
  markers: readonly PartMarker[],
  close: Pattern | null,
  from: number,
): number {
  const { buf } = reader.state;
  let found = buf.length;
  const seen = new Set<string>();
  for (const marker of markers) {
    const first = marker.prefix.pieces[0]?.text ?? marker.pattern.pieces[0]?.text;
    if (first === undefined || seen.has(first) || !isHeeded(reader, marker)) continue;
    seen.add(first);
    found = Math.min(found, findPart(buf, first, from));
  }
  return close?.pieces[0] ? Math.min(found, findPart(buf, close.pieces[0].text, from)) : found;
}
