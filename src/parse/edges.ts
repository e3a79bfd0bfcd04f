import { pythonStrip } from "../messages/index.ts";

/** Nothing but white space: as Python has it, so that a byte order mark is text. */
export const isBlank = (text: string): boolean => pythonStrip(text) === "";

/** Where the text ends when these characters are trimmed off its end. */
export function trimmedEnd(text: string, characters: string): number {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return end;
}

/** Length of the longest end of the text that is a beginning of `pattern`. */
export function overlap(text: string, pattern: string): number {
  for (let length = Math.min(text.length, pattern.length); length > 0; length--) {
    if (text.endsWith(pattern.slice(0, length))) return length;
  }
  return 0;
}
