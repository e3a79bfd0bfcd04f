import { TitoError } from "../errors.ts";
import type { Ids } from "../tokenizer/types.ts";
import { copyCall } from "./entries/copyCall.ts";
import type { Entries } from "./entries/entries.ts";
import { memoryEntries } from "./entries/memoryEntries.ts";
import { sqliteEntries } from "./entries/sqliteEntries.ts";
import { type RecordedCompletion, type RecordOptions, recordCompletion } from "./recordCompletion.ts";
import { openSqlite, type SqliteDatabase } from "./sqliteDatabase.ts";
import type { NewCall, ReplaySource, StoredCall } from "./types.ts";

export interface ToolCallStoreOptions {
  /** Calls at most. Default 100,000. */
  readonly maxEntries?: number | undefined;
  /** Bytes at most, about. A call that alone takes more is not kept. Default 256 MiB. */
  readonly maxBytes?: number | undefined;
  /**
   * A file that outlives the process and that several processes may share, opened with Node's own SQLite; or an open database,
   * which stays its owner's to close. Default: memory alone.
   */
  readonly sqlite?: string | SqliteDatabase | undefined;
}

/**
 * Sampled calls under the ids that clients know them by. Bounded: of too many, those go first that were used longest ago.
 *
 * @throws TitoError `invalid_config`, `store_unavailable`, `store_failed`; `store_closed` for whatever is asked of it after `close`
 * @example
 * await using store = new ToolCallStore({ sqlite: "calls.db" });
 * const { message } = store.record(completionIds, { renderer, prompt: promptIds, tools });
 * const { tokenIds, replay } = renderer.render(history, { tools, addGenerationPrompt: true, replay: store });
 */
export class ToolCallStore implements ReplaySource, AsyncDisposable {
  #entries: Entries | null;

  constructor({ maxEntries = 100_000, maxBytes = 256 * 1024 * 1024, sqlite }: ToolCallStoreOptions = {}) {
    const limits = { maxEntries: checked("maxEntries", maxEntries), maxBytes: checked("maxBytes", maxBytes) };
    if (sqlite === undefined) this.#entries = memoryEntries(limits);
    else if (typeof sqlite === "string") this.#entries = sqliteEntries(openSqlite(sqlite), limits, { closes: true });
    else this.#entries = sqliteEntries(checkedDatabase(sqlite), limits, { closes: false });
  }

  /** How many calls are stored. */
  get size(): number {
    return this.#open().size;
  }

  /** About how many bytes they take. */
  get bytes(): number {
    return this.#open().bytes;
  }

  /** Stores a call under an id, in place of what was there. Ids and bytes are copied. */
  put(id: string, call: NewCall | StoredCall): void {
    this.#open().set(checkedId(id), copyCall(call));
  }

  /** A copy. It counts as a use. */
  get(id: string): StoredCall | undefined {
    return this.#open().get(id);
  }

  /** Does not count as a use. */
  has(id: string): boolean {
    return this.#open().has(id);
  }

  /** Says whether it was there. */
  delete(id: string): boolean {
    return this.#open().delete(id);
  }

  clear(): void {
    this.#open().clear();
  }

  /**
   * Reads a completion, gives each of its calls an id, stores what was sampled, and returns the message to send to the client.
   *
   * @throws TitoError `invalid_config` for a `mintId` that gives no new id each time
   */
  record(completionIds: Ids, options: RecordOptions): RecordedCompletion {
    return recordCompletion(this, completionIds, options);
  }

  /** A file stays; what is in memory is gone. More than once does no harm. */
  close(): void {
    this.#entries?.close();
    this.#entries = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #open(): Entries {
    if (this.#entries !== null) return this.#entries;
    throw new TitoError(
      "store_closed",
      "The store of tool calls is closed. Make a new one, on the same file if it has one.",
    );
  }
}

function checked(field: "maxEntries" | "maxBytes", value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TitoError("invalid_config", `${field}: expected a whole number above 0, found ${String(value)}.`, {
    details: { field, actual: value },
  });
}

function checkedDatabase(database: SqliteDatabase): SqliteDatabase {
  if (typeof database?.exec === "function" && typeof database.prepare === "function") return database;
  throw new TitoError("invalid_config", "sqlite: expected a path, or a database with `exec`, `prepare` and `close`.", {
    details: { field: "sqlite" },
  });
}

function checkedId(id: string): string {
  if (typeof id === "string") return id;
  throw new TitoError("invalid_config", `id: expected a string, found ${typeof id}.`, { details: { field: "id" } });
}
