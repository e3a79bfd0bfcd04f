import type { StoredCall } from "../types.ts";

/** How much a store keeps. */
export interface EntryLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** Where a store keeps its calls; of too many, those go first that were used longest ago. */
export interface Entries {
  readonly size: number;
  readonly bytes: number;
  /** Counts as a use. */
  get(id: string): StoredCall | undefined;
  has(id: string): boolean;
  set(id: string, call: StoredCall): void;
  delete(id: string): boolean;
  clear(): void;
  close(): void;
}
