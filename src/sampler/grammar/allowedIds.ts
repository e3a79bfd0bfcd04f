import type { Configurations } from "../../gbnf/configurations.ts";
import type { Places } from "../../gbnf/gbnfMatcher.ts";
import type { GbnfMatcher, GbnfToken } from "../../gbnf/index.ts";
import { hasId, type IdSet } from "./idSet.ts";
import { type Located, type LocatedBranch, locate } from "./located.ts";
import { maskCache } from "./maskCache.ts";
import { idsWriting, type VocabularyTrie } from "./vocabularyTrie.ts";
import { walkTexts } from "./walkTexts.ts";

/**
 * The ids that can be next: those for which `acceptToken` is true, as far as llama.cpp would draw them. End ids are no text, and are
 * never among them; where the text may end, `isComplete` says so.
 *
 * The set is kept for the next matcher in the same state: it must not be changed.
 */
export function allowedIds(matcher: GbnfMatcher, trie: VocabularyTrie): IdSet {
  const located = locate(matcher);
  const masks = maskCache(trie);
  const known = masks.get(located.key);
  if (known !== undefined) return known;
  const words = new Uint32Array((trie.vocabSize + 31) >>> 5);
  let count = 0;
  visit(located, trie, (id) => {
    const bit = 1 << (id & 31);
    if ((words[id >>> 5] & bit) === 0) count++;
    words[id >>> 5] |= bit;
    return true;
  });
  const made: IdSet = { kind: "ids", words, count };
  masks.set(located.key, made);
  return made;
}

/** The one id that can be next, where there is just one. Looks no further than the second. */
export function soleAllowed(matcher: GbnfMatcher, trie: VocabularyTrie): number | undefined {
  let sole: number | undefined;
  visit(locate(matcher), trie, (id) => {
    if (sole === id) return true;
    const isFirst = sole === undefined;
    sole = isFirst ? id : undefined;
    return isFirst;
  });
  return sole;
}

/**
 * All other ids, for a draw that no native grammar holds: where the last byte is inside of a character, llama.cpp can begin none,
 * for it takes no token by its id that begins inside of one. Where the text may end, `ends` can be next, too.
 */
export function bannedIds(matcher: GbnfMatcher, trie: VocabularyTrie, ends: readonly number[] = []): number[] {
  const allowed = allowedIds(matcher, trie);
  const mayEnd = new Set(matcher.isComplete() ? ends : []);
  const banned: number[] = [];
  for (let id = 0; id < trie.vocabSize; id++) if (!hasId(allowed, id) && !mayEnd.has(id)) banned.push(id);
  return banned;
}

type Take = (id: number) => boolean;

/** Names what is allowed, some ids more than once, until it is told to stop. */
function visit({ places, branches, configurations }: Located, trie: VocabularyTrie, take: Take): void {
  if (!visitNamed(places, trie, take)) return;
  for (const branch of branches) if (!visitTexts(branch, configurations, trie, take)) return;
}

function visitNamed({ branches, tokens, matches }: Places, trie: VocabularyTrie, take: Take): boolean {
  const named = new Set<GbnfToken>();
  for (const { threads } of branches)
    for (const { state } of threads) if (state.kind === "token") named.add(state.token);
  for (const one of named) {
    const { token, negated } = one;
    const id = typeof token === "number" ? token : tokens?.(token);
    const candidates = negated
      ? trie.ids
      : id === undefined
        ? writing(token, trie)
        : [id].filter((x) => draws(x, trie));
    for (const candidate of candidates)
      if (matches(one, candidate, trie.bytesOf(candidate)) && !take(candidate)) return false;
  }
  return true;
}

const writing = (token: number | string, trie: VocabularyTrie): readonly number[] =>
  idsWriting(trie, new TextEncoder().encode(`${token}`));

/** Whether the id is one of the trie's: no other is drawn while a grammar holds. */
const draws = (id: number, trie: VocabularyTrie): boolean =>
  id < trie.vocabSize && idsWriting(trie, trie.bytesOf(id)).includes(id);

function visitTexts(from: LocatedBranch, configurations: Configurations, trie: VocabularyTrie, take: Take): boolean {
  const { ids, starts } = trie;
  return walkTexts(from, configurations, trie, (node) => {
    for (let i = starts[node]; i < starts[node + 1]; i++) if (!take(ids[i])) return false;
    return true;
  });
}
