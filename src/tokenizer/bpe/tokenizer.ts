import { EngineTokenizer } from "../engineTokenizer.ts";
import type { TokenizerMeta } from "../loaders/meta.ts";
import type { PatternName } from "../pretokenizers/patterns.ts";
import type { AddedToken } from "../types.ts";
import type { ChunkLimits } from "./chunks.ts";
import { BpeEngine } from "./engine.ts";
import type { BpeTables } from "./tables.ts";

/** What a byte-level BPE tokenizer is beside its tables: plain data. */
export interface BpeSettings extends TokenizerMeta {
  readonly pattern: PatternName;
  readonly nfc: boolean;
  readonly ignoreMerges: boolean;
  /** Long texts are cut before anything else. */
  readonly chunks?: ChunkLimits | undefined;
  readonly addedTokens: readonly AddedToken[];
}

/** A tokenizer on this package's own byte-level engine. The loaders make them. */
export class BpeTokenizer extends EngineTokenizer<BpeEngine> {
  readonly tables: BpeTables;
  readonly settings: BpeSettings;

  constructor(tables: BpeTables, settings: BpeSettings) {
    super(new BpeEngine(tables, settings), settings.addedTokens, settings);
    this.tables = tables;
    this.settings = settings;
  }

  /** Forgets all texts and pre-tokens seen so far. Only benchmarks need this. */
  clearCache(): void {
    this.engine.clearCache();
  }
}
