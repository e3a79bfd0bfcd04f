import { meets } from "../../gbnf/codePoints.ts";
import type { Configuration, Configurations } from "../../gbnf/configurations.ts";
import { decodeByte, type PartialCharacter, reachable } from "../../gbnf/utf8Decoder.ts";
import type { LocatedBranch } from "./located.ts";
import type { VocabularyTrie } from "./vocabularyTrie.ts";

/**
 * Goes through the trie's nodes whose texts the grammar takes, each before those that go on from it, until `take` says false; what
 * lies behind a byte that is not taken is never looked at.
 */
export function walkTexts(
  { configuration, partial }: LocatedBranch,
  { after }: Configurations,
  { bytes, depths, behind }: VocabularyTrie,
  take: (node: number) => boolean,
): boolean {
  /** By depth, where the text of the node at that depth leads to. */
  const at: Configuration[] = [configuration];
  const open: (PartialCharacter | null)[] = [partial];
  for (let node = 1; node < bytes.length; ) {
    const depth = depths[node];
    const before = at[depth - 1];
    const read = decodeByte(bytes[node], open[depth - 1]);
    const next = read === null ? null : typeof read === "number" ? after(before, read) : mayTake(before, read);
    if (next === null) {
      node = behind[node];
      continue;
    }
    at[depth] = next;
    open[depth] = typeof read === "number" ? null : read;
    if (!take(node)) return false;
    node++;
  }
  return true;
}

/** The configuration, if it takes any of the characters that this one may become. */
function mayTake(one: Configuration, partial: PartialCharacter): Configuration | null {
  const [low, high] = reachable(partial)!;
  return one.threads.some(({ state }) => state.kind === "character" && meets(state.set, low, high)) ? one : null;
}
