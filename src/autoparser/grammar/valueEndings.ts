import { patternOf } from "../../parse/layout/pieces.ts";
import { spacedPattern, type TextPattern } from "./automaton.ts";

const pieces = (text: string): readonly string[] => patternOf(text).pieces.map((piece) => piece.text);

/**
 * What ends a value, as the parser sees it: the text behind a value where what follows goes on with the call. `goesOn`: texts
 * of which one follows; empty: the call is over with the value. `after`: texts that stand behind such a call.
 */
export function valueEndings(
  suffix: string,
  goesOn: readonly string[],
  after: readonly string[],
): readonly TextPattern[] {
  const own = pieces(suffix);
  const firsts = (texts: readonly string[]) => texts.flatMap((text) => pieces(text).slice(0, 1));
  // White space alone ends nothing.
  if (own.length === 0) return firsts([...goesOn, ...after]).map((one) => spacedPattern([one]));
  const followers = goesOn.map((text) => pieces(text));
  if (followers.some((one) => one.length === 0)) return [spacedPattern(own)];
  return followers.map(([first]) => spacedPattern([...own, first]));
}
