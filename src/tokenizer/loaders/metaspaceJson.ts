import { invalidVocabulary } from "../bpe/invalid.ts";
import { MAX_VOCAB_SIZE } from "../bpe/tables.ts";
import { EngineTokenizer } from "../engineTokenizer.ts";
import { type Cut, harmlessCut } from "../metaspace/cuts.ts";
import { MetaspaceEngine, type MetaspaceOptions } from "../metaspace/engine.ts";
import { byteEntry, METASPACE, readable } from "../metaspace/spelling.ts";
import { buildMetaspaceTables, type Merge, requireByteIds } from "../metaspace/tables.ts";
import type { AddedToken, Tokenizer } from "../types.ts";
import type { TokenizerMeta } from "./meta.ts";
import { flattenParts, type Part, type TokenizerFile } from "./parts.ts";

interface BpeModel {
  readonly vocab: Readonly<Record<string, number>>;
  readonly merges: readonly (string | readonly [string, string])[];
  readonly ignore_merges?: boolean;
}

/** How a tokenizer.json treats blanks. */
interface Blanks {
  readonly prefix: MetaspaceOptions["prefix"];
  readonly splits: boolean;
}

/**
 * A tokenizer from a tokenizer.json that is BPE over characters, spells blanks `▁` and has a token for every byte; undefined
 * for any other. Three ways to say so are in use: a normaliser that replaces (Gemma), one that also prepends (Llama 2,
 * `legacy`), and a `Metaspace` pre-tokenizer.
 */
export function metaspaceTokenizer(
  file: TokenizerFile,
  addedTokens: readonly AddedToken[],
  meta: TokenizerMeta,
): Tokenizer | undefined {
  const blanks = readBlanks(file);
  if (blanks === undefined || !isByteFallbackBpe(file) || !decodesBytes(file)) return undefined;
  const model = file.model as unknown as BpeModel;
  const ids = new Map(Object.entries(model.vocab));
  const tables = buildMetaspaceTables({ ...readModel(model, ids) }, addedTokens);
  const ignoreMerges = model.ignore_merges === true;
  const engine = new MetaspaceEngine(tables, {
    cut: cutOf(blanks, ids, ignoreMerges),
    ignoreMerges,
    prefix: blanks.prefix,
  });
  return new EngineTokenizer(engine, addedTokens, meta);
}

function cutOf({ splits }: Blanks, ids: ReadonlyMap<string, number>, ignoreMerges: boolean): Cut {
  if (splits) return "blanks";
  return ignoreMerges ? "nowhere" : harmlessCut(Array.from(ids.keys(), readable));
}

function readBlanks(file: TokenizerFile): Blanks | undefined {
  const normalizers = flattenParts(file.normalizer, "normalizers");
  const preTokenizers = flattenParts(file.pre_tokenizer, "pretokenizers");
  const [pre] = preTokenizers;
  if (normalizers.length === 0 && preTokenizers.length === 1 && pre.type === "Metaspace") return readMetaspace(pre);
  // What is left to split at blanks finds none.
  if (!preTokenizers.every(splitsAtBlanks)) return undefined;
  const prepends = normalizers.filter((part) => part.type === "Prepend" && part.prepend === METASPACE);
  const replaces = normalizers.filter((part) => isReplace(part, " ", METASPACE));
  if (prepends.length > 1 || replaces.length !== 1 || prepends.length + 1 !== normalizers.length) return undefined;
  return { prefix: prepends.length === 0 ? "never" : "always", splits: false };
}

function readMetaspace({ replacement, prepend_scheme, add_prefix_space, split }: Part): Blanks | undefined {
  if (replacement !== METASPACE) return undefined;
  const isNever = prepend_scheme === "never" || (prepend_scheme === undefined && add_prefix_space === false);
  return { prefix: isNever ? "never" : "unlessThere", splits: split !== false };
}

function splitsAtBlanks({ type, pattern }: Part): boolean {
  return type === "Split" && pattern?.String === " ";
}

function isByteFallbackBpe({ model }: TokenizerFile): boolean {
  const isUnset = (value: unknown): boolean => [undefined, null, "", 0].includes(value as never);
  return (
    model?.type === "BPE" &&
    model.byte_fallback === true &&
    [model.dropout, model.continuing_subword_prefix, model.end_of_word_suffix].every(isUnset)
  );
}

/** Whether a decoder only undoes blanks and bytes. The blank at the start, which `Strip` would drop, is kept here. */
function decodesBytes({ decoder }: TokenizerFile): boolean {
  const parts = flattenParts(decoder, "decoders");
  const undoes = (part: Part): boolean =>
    part.type === "ByteFallback" ||
    part.type === "Fuse" ||
    part.type === "Metaspace" ||
    isReplace(part, METASPACE, " ") ||
    (part.type === "Strip" && part.content === " ");
  return (
    parts.every(undoes) &&
    parts.some(({ type }) => type === "ByteFallback") &&
    parts.some(({ type }) => type === "Replace" || type === "Metaspace")
  );
}

function readModel({ merges: lines, vocab }: BpeModel, ids: ReadonlyMap<string, number>) {
  if (typeof vocab !== "object" || vocab === null || !Array.isArray(lines)) {
    throw invalidVocabulary("its model has no vocab or no merges");
  }
  const byteIds = requireByteIds((byte) => ids.get(byteEntry(byte)), byteEntry);
  const entries: (string | undefined)[] = [];
  const symbols = new Map<number, number>();
  for (const [entry, id] of ids) {
    if (!Number.isInteger(id) || id < 0 || id >= MAX_VOCAB_SIZE)
      throw invalidVocabulary(`its entry ${JSON.stringify(entry)} has the id ${id}`);
    entries[id] = entry;
    const point = entry.codePointAt(0) ?? 0;
    // A blank is never in what is merged: it was replaced before.
    if (entry.length !== (point > 0xffff ? 2 : 1) || entry === " ") continue;
    symbols.set(entry === METASPACE ? 32 : point, id);
  }
  const merges = lines.map((line, rank): Merge => {
    const [first, second] = typeof line === "string" ? line.split(" ", 2) : line;
    const left = ids.get(first);
    const right = ids.get(second);
    const merged = ids.get(`${first}${second}`);
    if (left === undefined || right === undefined || merged === undefined) {
      throw invalidVocabulary(`merge ${rank} joins or makes a token that is not in the vocabulary`);
    }
    return { left, right, merged, rank };
  });
  return { entries: Array.from(entries), byteIds, symbols, merges, ranks: merges.length };
}

function isReplace(part: Part, from: string, to: string): boolean {
  return part.type === "Replace" && part.pattern?.String === from && part.content === to;
}
