import { around } from "../findings/reasoning.ts";
import { segments, wholePrefix } from "../text/diff.ts";
import { words } from "./probes.ts";
import { type Speaker, turnAt } from "./speaker.ts";

/** The text that ends a turn: the last marker (or word) of what stands behind the words, and what is written before it. */
export interface TurnClosing {
  readonly before: string;
  /** Null: nothing but white space stands there. */
  readonly token: string | null;
}

/** `known`: special tokens, which are taken for the end where one of them stands there; else the last marker is. */
export function closingOf(text: string, known: readonly string[]): TurnClosing {
  const trimmed = text.trimEnd();
  if (trimmed === "") return { before: text, token: null };
  const token =
    known.filter((one) => trimmed.endsWith(one)).sort((a, b) => b.length - a.length)[0] ?? lastWord(trimmed);
  return { before: trimmed.slice(0, trimmed.length - token.length), token };
}

function lastWord(text: string): string {
  const last = segments(text).at(-1)!;
  return last.kind === "marker" ? last.text : last.text.split(/\s/).at(-1)!;
}

/** What follows content in the midst of a conversation, where the last turn's end is not another one. */
export function endInHistory(speaker: Speaker, header: string, last: string): string {
  const place = speaker.place({ content: words.content }, { followed: true });
  const turn = place && turnAt(place, header);
  const shared = wholePrefix(last, (turn && around(turn, "content")?.after) ?? last);
  return shared.trim() === "" ? last : shared;
}
