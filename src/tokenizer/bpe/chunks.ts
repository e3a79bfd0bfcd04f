import { isPythonSpace } from "../../messages/python/strip.ts";

/**
 * Limits at which a tokenizer's own code cuts a text before it looks at it, in code points: of the text, and of a stretch
 * that is all white space or all something else. A cut can fall into a word, so ids depend on it.
 */
export interface ChunkLimits {
  readonly text: number;
  readonly stretch: number;
}

/** Hands the chunks of a text over, in order. Text that is within both limits is handed over as it is. */
export function forEachChunk(text: string, limits: ChunkLimits, take: (chunk: string) => void): void {
  if (text.length <= limits.text && text.length <= limits.stretch) {
    take(text);
    return;
  }
  let start = 0;
  let points = 0;
  let stretch = 0;
  let isSpace = false;
  for (let index = 0; index < text.length; points++) {
    const isSpaceNow = isPythonSpace(text.charCodeAt(index));
    const isFull = points === limits.text;
    stretch = isSpaceNow === isSpace && !isFull ? stretch + 1 : 1;
    isSpace = isSpaceNow;
    if (isFull || stretch > limits.stretch) {
      take(text.slice(start, index));
      start = index;
      stretch = 1;
    }
    if (isFull) points = 0;
    index += (text.codePointAt(index) as number) > 0xffff ? 2 : 1;
  }
  take(text.slice(start));
}
