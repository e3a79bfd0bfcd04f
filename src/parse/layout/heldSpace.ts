import { isPythonSpace } from "../../messages/index.ts";
import type { ResponseReader } from "./responseReader.ts";

/** What is done with text that belongs to a part. */
export type Say = (reader: ResponseReader, text: string) => void;

/** Text of a part. White space at its end waits, as it may be the layout's. */
export function speak(reader: ResponseReader, text: string, say: Say): void {
  const { state } = reader;
  let end = text.length;
  while (end > 0 && isPythonSpace(text.charCodeAt(end - 1))) end--;
  if (end > 0) {
    const before = state.gap;
    state.gap = "";
    if (state.trim !== null) {
      let start = 0;
      while (isPythonSpace(text.charCodeAt(start))) start++;
      begun(reader, before + text.slice(0, start), say);
      say(reader, text.slice(start, end));
    } else say(reader, before + text.slice(0, end));
  }
  state.gap += text.slice(end);
}

/** White space at a part's start: the layout's own is taken off, or else all of it, being another amount of the same. */
export function begun(reader: ResponseReader, space: string, say: Say): void {
  const { state } = reader;
  const trim = state.trim ?? "";
  state.trim = null;
  if (space.startsWith(trim)) say(reader, space.slice(trim.length));
}
