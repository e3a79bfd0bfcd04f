import type { MergeList } from "./mergeList.ts";
import { findMerge } from "./merges.ts";
import { type BpeTables, NO_MERGE, WHOLE } from "./tables.ts";

// Which tokens come out when their own bytes are merged? For those, a pre-token that is in the vocabulary needs no
// merging: the answer depends on its bytes alone. Nearly all tokens of trained vocabularies are like that, but nothing
// promises it, so each is proven, by induction over the merge (left, right) that makes it:
//
//   - the merges run in order of rank, because no merge is older than the tokens it joins (checked);
//   - the bytes of `left` and of `right`, both whole, turn into left and right unless a merge across the seam comes first;
//   - only the tokens that touch the seam can: on the left the last tokens of left, of its right part, and so on down to
//     a byte; on the right likewise. Which two stand there together follows from the ranks: backwards in time, the
//     younger of the two falls apart. A merge of such a pair fires if it ranks before the next change on either side;
//     of equal ranks the leftmost goes first, so it loses against the left side and wins against the right.

type ProofTables = Pick<BpeTables, "vocabSize" | "mergeSlots" | "mergedIds" | "tokenFlags" | "byteIds">;

/** Left and right id of the merge of each rank. */
type Parts = Int32Array;

const UNMADE = -1;
const AMBIGUOUS = -2;

/** Sets `WHOLE` on the single bytes and on every token that is proven. */
export function markWholeTokens(tables: ProofTables, merges: MergeList): void {
  const { vocabSize, mergedIds, tokenFlags, byteIds } = tables;
  const { entries } = merges;
  const parts = new Int32Array(mergedIds.length * 2);
  /** Rank of the only merge that makes a token. */
  const makers = new Int32Array(vocabSize).fill(UNMADE);
  for (let at = 0; at < merges.length * 4; at += 4) {
    const id = entries[at + 2];
    const rank = entries[at + 3];
    parts[2 * rank] = entries[at];
    parts[2 * rank + 1] = entries[at + 1];
    makers[id] = makers[id] === UNMADE ? rank : AMBIGUOUS;
  }
  for (const id of byteIds) if (makers[id] === UNMADE) tokenFlags[id] |= WHOLE;
  for (let rank = 0; rank < mergedIds.length; rank++) {
    const id = mergedIds[rank];
    if (id < 0) continue;
    const left = parts[2 * rank];
    const right = parts[2 * rank + 1];
    if (makers[left] >= rank || makers[right] >= rank) {
      // The merges do not run in order of rank: nothing is proven after all.
      for (let each = 0; each < vocabSize; each++) tokenFlags[each] &= ~WHOLE;
      return;
    }
    const isWhole = (tokenFlags[left] & tokenFlags[right] & WHOLE) !== 0;
    if (makers[id] === rank && isWhole && isSeamQuiet(tables, makers, parts, rank)) tokenFlags[id] |= WHOLE;
  }
}

function isSeamQuiet(tables: ProofTables, makers: Int32Array, parts: Parts, rank: number): boolean {
  let left = parts[2 * rank];
  let right = parts[2 * rank + 1];
  let leftChange = NO_MERGE;
  let rightChange = NO_MERGE;
  for (;;) {
    const leftMaker = makers[left];
    const rightMaker = makers[right];
    if (leftMaker < 0 && rightMaker < 0) return true;
    if (rightMaker >= leftMaker) {
      rightChange = rightMaker;
      right = parts[2 * rightMaker];
    } else {
      leftChange = leftMaker;
      left = parts[2 * leftMaker + 1];
    }
    const across = findMerge(tables.mergeSlots, left, right);
    if (across < leftChange && across <= rightChange) return false;
  }
}
