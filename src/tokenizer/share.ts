import { TitoError } from "../errors.ts";
import type { BpeTables } from "./bpe/tables.ts";
import { type BpeSettings, BpeTokenizer } from "./bpe/tokenizer.ts";
import type { Tokenizer } from "./types.ts";

/** A tokenizer as plain data over shared memory: `postMessage` copies the settings and shares the tables. */
export interface SharedTokenizer {
  readonly tables: BpeTables;
  readonly settings: BpeSettings;
}

/**
 * The tables of a tokenizer, to be handed to a worker thread. Throws `tokenizer_unsupported` for a tokenizer that does
 * not run on this package's own engine.
 */
export function shareTables(tokenizer: Tokenizer): SharedTokenizer {
  if (tokenizer instanceof BpeTokenizer) return { tables: tokenizer.tables, settings: tokenizer.settings };
  throw new TitoError(
    "tokenizer_unsupported",
    "Only tokenizers on the built-in byte-level BPE engine can be shared. Load this one in each thread.",
  );
}

/** A tokenizer over tables that another thread made: nothing is parsed or copied. */
export function fromSharedTables({ tables, settings }: SharedTokenizer): Tokenizer {
  return new BpeTokenizer(tables, settings);
}
