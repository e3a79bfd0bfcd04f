import { patternOf } from "../../parse/layout/pieces.ts";
import { spacedPattern, type TextPattern } from "./automaton.ts";

const pieces = (text: string): readonly string[] => patternOf(text).pieces.map((piece) => piece.text);

/** What a call goes on with behind a value. */
export interface CallRest {
  /** From a value's end to the name of the next argument, and what may stand behind that name. */
  readonly next: string;
  readonly betweens: readonly string[];
  /** From the last value's end to the call's end. */
  readonly rest: string;
  /** What may follow the call. */
  readonly after: readonly string[];
}

/** Characters that names have not where nothing stands before them. */
const notInNames = "\"'<>{}()[],\n";

/** What ends a value, as the parser sees it: its suffix, where the call goes on behind it. */
export function valueEndings(suffix: string, { next, betweens, rest, after }: CallRest): readonly TextPattern[] {
  const own = pieces(suffix);
  const firsts = (texts: readonly string[]) => texts.flatMap((text) => pieces(text).slice(0, 1));
  // White space alone ends nothing.
  if (own.length === 0) return firsts([next, rest, ...after]).map((one) => spacedPattern([one]));
  const [over, ...behind] = pieces(rest);
  const leads = pieces(next);
  // With the call's end the value's end says all.
  if (over === undefined) return [spacedPattern(own)];
  const isMarked = leads.some((one) => one.length > 1);
  const argument = spacedPattern([...own, ...leads.slice(0, isMarked ? 1 : undefined)]);
  const named = firsts(betweens).map((one): TextPattern => [...argument, null, { anyBut: notInNames }, ...one]);
  // A bracket alone says little: what may follow a call must stand behind it.
  const isShort = rest.trim().length < 3 && behind.length === 0;
  const followers = isShort ? firsts(after) : [];
  const overs = followers.length > 0 ? followers.map((one) => [over, one]) : [[over]];
  return [...overs.map((texts) => spacedPattern([...own, ...texts])), ...(isMarked ? [argument] : named)];
}
