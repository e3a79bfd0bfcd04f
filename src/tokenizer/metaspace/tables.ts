import { TitoError } from "../../errors.ts";
import { invalidVocabulary } from "../bpe/invalid.ts";
import type { MergeTables } from "../bpe/merger.ts";
import { createMergeSlots, insertMerge } from "../bpe/merges.ts";
import { packTokens, type TokenTables } from "../bpe/packTokens.ts";
import { MAX_VOCAB_SIZE } from "../bpe/tables.ts";
import type { AddedToken } from "../types.ts";
import { readable } from "./spelling.ts";

/** The vocabulary of a BPE model over characters, with a token for every byte. */
export interface MetaspaceTables extends MergeTables {
  readonly tokens: TokenTables;
  /** Spelling by id; added tokens are not among them. */
  readonly entries: readonly (string | undefined)[];
  readonly idByEntry: ReadonlyMap<string, number>;
  /** Where merging starts: the symbol of a code point, an id or, from `hiddenFrom` on, one that only merges know. */
  readonly symbols: ReadonlyMap<number, number>;
  readonly hiddenFrom: number;
  /** The characters of the symbols from `hiddenFrom` on: in pieces, but no piece themselves. */
  readonly hidden: readonly string[];
  readonly byteIds: Int32Array;
}

/** `left` and `right` are symbols that make the entry `merged`; merges of one rank make the same one. */
export interface Merge {
  readonly left: number;
  readonly right: number;
  readonly merged: number;
  readonly rank: number;
}

export interface MetaspaceSource {
  readonly entries: readonly (string | undefined)[];
  readonly byteIds: Int32Array;
  readonly symbols: ReadonlyMap<number, number>;
  readonly hidden?: readonly string[];
  readonly merges: readonly Merge[];
  readonly ranks: number;
}

export function buildMetaspaceTables(source: MetaspaceSource, addedTokens: readonly AddedToken[]): MetaspaceTables {
  const { entries, byteIds, merges } = source;
  const idByEntry = new Map<string, number>();
  entries.forEach((entry, id) => {
    if (entry !== undefined) idByEntry.set(entry, id);
  });
  const mergeSlots = createMergeSlots(merges.length);
  const mergedIds = new Int32Array(source.ranks).fill(-1);
  for (const { left, right, merged, rank } of merges) {
    insertMerge(mergeSlots, left, right, rank);
    mergedIds[rank] = merged;
  }
  const contents = new Map(addedTokens.map(({ id, content }) => [id, content]));
  const byteOfId = new Map(Array.from(byteIds, (id, byte) => [id, byte]));
  // Hidden symbols share the merges' room for ids.
  const symbolCount = entries.length + (source.hidden?.length ?? 0);
  if (symbolCount > MAX_VOCAB_SIZE) throw invalidVocabulary(`it has ${symbolCount} symbols`);
  const vocabSize = addedTokens.reduce((size, { id }) => Math.max(size, id + 1), entries.length);
  const bytesOf = (id: number): Uint8Array | undefined => {
    const byte = byteOfId.get(id);
    if (byte !== undefined) return Uint8Array.of(byte);
    const text = contents.get(id) ?? entries[id];
    return text === undefined ? undefined : Buffer.from(readable(text), "utf8");
  };
  return {
    tokens: packTokens(vocabSize, bytesOf),
    entries,
    idByEntry,
    symbols: source.symbols,
    hiddenFrom: entries.length,
    hidden: source.hidden ?? [],
    byteIds,
    mergeSlots,
    mergedIds,
  };
}

/** The ids of the 256 bytes. Throws `tokenizer_unsupported` if one is missing: then some text has no ids. */
export function requireByteIds(idOfByte: (byte: number) => number | undefined, nameOf: (byte: number) => string) {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    const id = idOfByte(byte);
    if (id !== undefined) return id;
    throw new TitoError(
      "tokenizer_unsupported",
      `This tokenizer cannot be used: its vocabulary has no ${nameOf(byte)}, so text would be lost. ` +
        "Use a model whose vocabulary has a token for every byte (byte fallback).",
      { details: { missing: nameOf(byte) } },
    );
  });
}
