import type { IdSet } from "./idSet.ts";
import type { VocabularyTrie } from "./vocabularyTrie.ts";

/** The sets of one vocabulary that were asked for last. */
export interface MaskCache {
  readonly get: (key: string) => IdSet | undefined;
  readonly set: (key: string, mask: IdSet) => void;
}

/** For a vocabulary of 151,936 ids, some 400 sets. */
const mostBytes = 8_000_000;
const caches = new WeakMap<VocabularyTrie, MaskCache>();

export function maskCache(trie: VocabularyTrie): MaskCache {
  const known = caches.get(trie);
  if (known !== undefined) return known;
  const made = boundedMasks(mostBytes);
  caches.set(trie, made);
  return made;
}

/** Keeps what fits into so many bytes, the set used last for longest. */
export function boundedMasks(most: number): MaskCache {
  const masks = new Map<string, IdSet>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= masks.get(key)?.words.byteLength ?? 0;
    masks.delete(key);
  };
  return {
    get(key) {
      const mask = masks.get(key);
      if (mask === undefined) return undefined;
      masks.delete(key);
      masks.set(key, mask);
      return mask;
    },
    set(key, mask) {
      drop(key);
      masks.set(key, mask);
      bytes += mask.words.byteLength;
      for (const oldest of masks.keys()) {
        if (bytes <= most) break;
        drop(oldest);
      }
    },
  };
}
