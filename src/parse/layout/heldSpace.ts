import { isPythonSpace } from "../../messages/index.ts";
import type { ResponseReader } from "./responseReader.ts";

/** Text of a part. White space at its end waits, as it may be the layout's. */
export function speak(reader: ResponseReader, text: string, add: (text: string) => void): void {
  const { state } = reader;
  let end = text.length;
  while (end > 0 && isPythonSpace(text.charCodeAt(end - 1))) end--;
  if (end > 0) {
    const before = state.gap;
    state.gap = "";
    if (state.trim !== null) {
      let start = 0;
      while (isPythonSpace(text.charCodeAt(start))) start++;
      begun(reader, before + text.slice(0, start), add);
      add(text.slice(start, end));
    } else add(before + text.slice(0, end));
  }
  state.gap += text.slice(end);
}

/** White space at a part's start: the layout's own is taken off, or else all of it, being another amount of the same. */
export function begun(reader: ResponseReader, space: string, add: (text: string) => void): void {
  const { state } = reader;
  const trim = state.trim ?? "";
  state.trim = null;
  if (space.startsWith(trim)) add(space.slice(trim.length));
}
