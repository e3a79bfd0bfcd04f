import { TitoError } from "../../errors.ts";
import type { SqliteDatabase, SqliteStatement } from "../sqliteDatabase.ts";
import { sizeOfCall } from "./copyCall.ts";
import type { Entries, EntryLimits } from "./entries.ts";
import { packCall, unpackCall } from "./packCall.ts";

/*
 * A row for each call, and one row with what all of them amount to, so that no call has to count the others. Triggers keep it,
 * because several processes may write. `clock` goes on with every use; a row's `used` is the clock of its last one.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS tito_calls (id TEXT PRIMARY KEY, call BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS tito_calls_used ON tito_calls (used);
CREATE TABLE IF NOT EXISTS tito_calls_total (one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL, bytes INTEGER NOT NULL, clock INTEGER NOT NULL);
INSERT OR IGNORE INTO tito_calls_total VALUES (1, 0, 0, 0);
CREATE TRIGGER IF NOT EXISTS tito_calls_added AFTER INSERT ON tito_calls BEGIN
  UPDATE tito_calls_total SET entries = entries + 1, bytes = bytes + new.size;
END;
CREATE TRIGGER IF NOT EXISTS tito_calls_removed AFTER DELETE ON tito_calls BEGIN
  UPDATE tito_calls_total SET entries = entries - 1, bytes = bytes - old.size;
END;
`;

interface Total {
  readonly entries: number;
  readonly bytes: number;
  readonly clock: number;
}

/**
 * Entries in a file that several processes may use at once. The limits are those of the process that writes.
 *
 * @throws TitoError `store_failed`
 */
export function sqliteEntries(
  database: SqliteDatabase,
  { maxEntries, maxBytes }: EntryLimits,
  { closes }: { readonly closes: boolean },
): Entries {
  const prepared = new Map<string, SqliteStatement>();
  guarded("opened", () => inTransaction(() => database.exec(SCHEMA)));

  function statement(sql: string): SqliteStatement {
    const made = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, made);
    return made;
  }

  /** All or nothing, and no other process in between. */
  function inTransaction<Value>(work: () => Value): Value {
    database.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      database.exec("COMMIT");
      return value;
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }

  const total = () => statement("SELECT entries, bytes, clock FROM tito_calls_total").get() as Total;

  function tick(): number {
    statement("UPDATE tito_calls_total SET clock = clock + 1").run();
    return total().clock;
  }

  function remove(id: string): boolean {
    const { entries } = total();
    statement("DELETE FROM tito_calls WHERE id = ?").run(id);
    return total().entries < entries;
  }

  return {
    get size() {
      return guarded("counted", () => total().entries);
    },
    get bytes() {
      return guarded("counted", () => total().bytes);
    },
    get(id) {
      const row = guarded("read", () => statement("SELECT call, used FROM tito_calls WHERE id = ?").get(id)) as
        | { readonly call: Uint8Array; readonly used: number }
        | undefined;
      if (!row) return undefined;
      // What was used last needs no note of it: most requests ask for the same calls again.
      guarded("written", () => {
        if (row.used === total().clock) return;
        inTransaction(() => statement("UPDATE tito_calls SET used = ? WHERE id = ?").run(tick(), id));
      });
      return unpackCall(row.call);
    },
    has: (id) => guarded("read", () => Boolean(statement("SELECT 1 AS found FROM tito_calls WHERE id = ?").get(id))),
    set(id, call) {
      const packed = packCall(call);
      guarded("written", () =>
        inTransaction(() => {
          // Not replaced in place: triggers do not see the row that goes.
          statement("DELETE FROM tito_calls WHERE id = ?").run(id);
          statement("INSERT INTO tito_calls VALUES (?, ?, ?, ?)").run(id, packed, sizeOfCall(id, call), tick());
          for (let now = total(); now.entries > maxEntries || now.bytes > maxBytes; now = total())
            statement("DELETE FROM tito_calls WHERE id = (SELECT id FROM tito_calls ORDER BY used LIMIT 1)").run();
        }),
      );
    },
    delete: (id) => guarded("written", () => inTransaction(() => remove(id))),
    clear() {
      guarded("written", () => inTransaction(() => statement("DELETE FROM tito_calls").run()));
    },
    close() {
      prepared.clear();
      if (closes) database.close();
    },
  };
}

function guarded<Value>(done: string, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw new TitoError(
      "store_failed",
      `The store's database could not be ${done}: ${(cause as Error).message}. Look after the file and its folder, then try again.`,
      { cause },
    );
  }
}
