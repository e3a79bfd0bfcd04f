// The rules are those of `AddedVocabulary::find_matches` in Hugging Face `tokenizers`.

import type { AddedTokenMatch, TextRange } from "../types.ts";
import { CLASSES, SPACE } from "../unicode/classes.ts";
import { isWordCodePoint } from "../unicode/words.ts";
import type { TokenTrie } from "./tokenTrie.ts";

/**
 * The leftmost-longest matches of added tokens, from left to right. With `ranges`, a match and the white space it takes
 * along lie inside one range; without, anywhere.
 */
export function findMatches(trie: TokenTrie, text: string, ranges?: readonly TextRange[]): AddedTokenMatch[] {
  const matches: AddedTokenMatch[] = [];
  if (trie.isEmpty) return matches;
  const nextCandidate = trie.candidates(text);
  let taken = 0;
  let range = 0;
  for (let at = nextCandidate(0); at < text.length; ) {
    let low = 0;
    let high = text.length;
    if (ranges !== undefined) {
      while (range < ranges.length && ranges[range][1] <= at) range++;
      if (range === ranges.length) break;
      [low, high] = ranges[range];
      if (at < low) {
        at = nextCandidate(low);
        continue;
      }
    }
    const found = trie.longestAt(text, at, high);
    if (found === undefined) {
      at = nextCandidate(at + 1);
      continue;
    }
    const { token } = found;
    // A token that must stand alone and does not is text, and so is what it covers.
    if (!token.singleWord || standsAlone(text, at, found.end)) {
      const start = token.lstrip ? Math.max(taken, spacesBefore(text, at, low)) : at;
      const end = token.rstrip ? spacesAfter(text, found.end, high) : found.end;
      matches.push({ start, end, id: token.id });
      taken = end;
    }
    at = nextCandidate(found.end);
  }
  return matches;
}

function standsAlone(text: string, start: number, end: number): boolean {
  const before = start === 0 ? undefined : codePointBefore(text, start);
  const after = text.codePointAt(end);
  return !(before !== undefined && isWordCodePoint(before)) && !(after !== undefined && isWordCodePoint(after));
}

function codePointBefore(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  const high = end > 1 ? text.charCodeAt(end - 2) : 0;
  const isPair = (unit & 0xfc00) === 0xdc00 && (high & 0xfc00) === 0xd800;
  return isPair ? (text.codePointAt(end - 2) as number) : unit;
}

function spacesBefore(text: string, end: number, low: number): number {
  let index = end;
  while (index > low && (CLASSES[text.charCodeAt(index - 1)] & SPACE) !== 0) index--;
  return index;
}

function spacesAfter(text: string, start: number, high: number): number {
  let index = start;
  while (index < high && (CLASSES[text.charCodeAt(index)] & SPACE) !== 0) index++;
  return index;
}
