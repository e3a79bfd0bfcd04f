import type { AddedToken } from "../types.ts";
import { invalidVocabulary } from "./invalid.ts";
import type { MergeList } from "./mergeList.ts";
import { createMergeSlots, insertMerge } from "./merges.ts";
import { TOKEN_PADDING, type TokenTables } from "./packTokens.ts";
import { type BpeTables, EXISTS, MAX_VOCAB_SIZE, NO_MERGE, sharedBytes, sharedInts, VERBATIM } from "./tables.ts";
import type { Vocabulary } from "./vocabularyBuilder.ts";
import { markWholeTokens } from "./wholeTokens.ts";

/**
 * Puts the tables together in shared memory. An added token's bytes are the UTF-8 of its content, whatever the vocabulary
 * says of its id. `proveWholeTokens` takes time that a tokenizer which ignores merges can save.
 */
export function buildTables(
  vocabulary: Vocabulary,
  merges: MergeList,
  addedTokens: readonly AddedToken[],
  { proveWholeTokens }: { readonly proveWholeTokens: boolean },
): BpeTables {
  const { entries } = merges;
  const mergeSlots = createMergeSlots(merges.length);
  const mergedIds = sharedInts(merges.ranks).fill(-1);
  for (let at = 0; at < merges.length * 4; at += 4) {
    insertMerge(mergeSlots, entries[at], entries[at + 1], entries[at + 3]);
    mergedIds[entries[at + 3]] = entries[at + 2];
  }
  const byteIds = sharedInts(256);
  byteIds.set(vocabulary.byteIds);
  const tables = { ...withAddedTokens(vocabulary, addedTokens), byteIds, mergeSlots, mergedIds };
  if (proveWholeTokens) markWholeTokens(tables, merges);
  return { ...tables, vocabularySlots: vocabulary.vocabularySlots, bytePairRanks: bytePairRanks(merges, byteIds) };
}

function bytePairRanks({ length, entries }: MergeList, byteIds: Int32Array): Int32Array {
  const ranks = sharedInts(0x10000).fill(NO_MERGE);
  const bytes = new Map(Array.from(byteIds, (id, byte) => [id, byte]));
  for (let at = 0; at < length * 4; at += 4) {
    const first = bytes.get(entries[at]);
    const second = first === undefined ? undefined : bytes.get(entries[at + 1]);
    if (first !== undefined && second !== undefined) ranks[(first << 8) | second] = entries[at + 3];
  }
  return ranks;
}

type Tokens = TokenTables & Pick<BpeTables, "tokenFlags">;

function withAddedTokens(vocabulary: Vocabulary, addedTokens: readonly AddedToken[]): Tokens {
  const contents = new Map<number, Uint8Array>();
  let vocabSize = vocabulary.vocabSize;
  let size = vocabulary.tokenBytes.length + TOKEN_PADDING;
  for (const { id, content } of addedTokens) {
    if (!Number.isInteger(id) || id < 0 || id >= MAX_VOCAB_SIZE) {
      throw invalidVocabulary(`added token ${JSON.stringify(content)} has the id ${id}`);
    }
    const bytes = Buffer.from(content, "utf8");
    contents.set(id, bytes);
    vocabSize = Math.max(vocabSize, id + 1);
    size += bytes.length;
  }
  const tokenBytes = sharedBytes(size);
  const tokenOffsets = sharedInts(vocabSize + 1);
  const tokenFlags = sharedBytes(vocabSize);
  tokenFlags.set(vocabulary.tokenFlags);
  for (const id of contents.keys()) tokenFlags[id] |= EXISTS | VERBATIM;
  let end = 0;
  for (let id = 0; id < vocabSize; id++) {
    const content = (tokenFlags[id] & VERBATIM) !== 0 ? contents.get(id) : undefined;
    tokenOffsets[id] = end;
    if (content !== undefined) {
      tokenBytes.set(content, end);
      end += content.length;
    } else if (id < vocabulary.vocabSize) {
      const stop = vocabulary.tokenOffsets[id + 1];
      for (let index = vocabulary.tokenOffsets[id]; index < stop; index++) {
        tokenBytes[end++] = vocabulary.tokenBytes[index];
      }
    }
  }
  tokenOffsets[vocabSize] = end;
  return { vocabSize, tokenBytes, tokenOffsets, tokenFlags };
}
