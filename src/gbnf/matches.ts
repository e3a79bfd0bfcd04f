import { type Expected, type GbnfMatcherOptions, gbnfMatcher } from "./gbnfMatcher.ts";
import type { Gbnf } from "./types.ts";

/** Whether the grammar matches the whole text. */
export function matches(gbnf: Gbnf, text: string, options: GbnfMatcherOptions = {}): boolean {
  const matcher = gbnfMatcher(gbnf, options);
  return matcher.accept(text) && matcher.isComplete();
}

/** Why a text does not match. */
export interface Mismatch {
  /** The first code point that does not fit; the text's length in code points if the text ends too early. */
  readonly index: number;
  /** The character there; null at the end. */
  readonly found: string | null;
  readonly expected: readonly Expected[];
  /** Whether the text could have ended there. */
  readonly mayEnd: boolean;
  /** All of it in a sentence. */
  readonly message: string;
}

/** How many expectations a message names. */
const named = 6;

/** Where and why a grammar does not match a text; null if it does. */
export function whyNot(gbnf: Gbnf, text: string, options: GbnfMatcherOptions = {}): Mismatch | null {
  const matcher = gbnfMatcher(gbnf, options);
  let index = 0;
  for (const character of text) {
    if (!matcher.accept(character)) return mismatch(index, character);
    index++;
  }
  return matcher.isComplete() ? null : mismatch(index, null);

  function mismatch(at: number, found: string | null): Mismatch {
    const expected = matcher.expected();
    const mayEnd = matcher.isComplete();
    const list = [
      ...(mayEnd ? ["the end"] : []),
      ...expected.slice(0, named).map(({ rule, what }) => `${what} (${rule})`),
      ...(expected.length > named ? [`${expected.length - named} more`] : []),
    ];
    const where = found === null ? "The text ends too early" : `Unexpected ${JSON.stringify(found)}`;
    const message = `${where} at character ${at}: expected ${list.join(", ") || "nothing: the grammar matches no text"}.`;
    return { index: at, found, expected, mayEnd, message };
  }
}
