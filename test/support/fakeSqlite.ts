import type { SqliteDatabase } from "../../src/index.ts";

interface Row {
  readonly id: string;
  readonly call: Uint8Array;
  readonly size: number;
  used: number;
}

/** The rows of a file that any number of stores may have open. */
export interface FakeFile {
  readonly rows: Map<string, Row>;
  clock: number;
  inTransaction: boolean;
  /** Set, every statement fails with it. */
  failure: Error | null;
}

export const fakeFile = (): FakeFile => ({ rows: new Map(), clock: 0, inTransaction: false, failure: null });

/** Knows the statements that a store makes, and no others. */
export function fakeSqlite(file: FakeFile): SqliteDatabase {
  const total = () => {
    const rows = [...file.rows.values()];
    return { entries: rows.length, bytes: rows.reduce((sum, { size }) => sum + size, 0), clock: file.clock };
  };
  const oldest = () => [...file.rows.values()].sort((a, b) => a.used - b.used)[0]!.id;

  function run(sql: string, values: readonly unknown[]): unknown {
    if (file.failure) throw file.failure;
    const [first, second, third, fourth] = values as [string, Uint8Array, number, number];
    switch (sql.split(" ").slice(0, 3).join(" ")) {
      case "SELECT entries, bytes,":
        return total();
      case "SELECT call, used":
        return file.rows.get(first);
      case "SELECT 1 AS":
        return file.rows.has(first) ? { found: 1 } : undefined;
      case "UPDATE tito_calls_total SET":
        file.clock++;
        return undefined;
      case "UPDATE tito_calls SET":
        file.rows.get(values[1] as string)!.used = values[0] as number;
        return undefined;
      case "INSERT INTO tito_calls":
        if (!file.inTransaction) throw new Error("not in a transaction");
        file.rows.set(first, { id: first, call: Uint8Array.from(second), size: third, used: fourth });
        return undefined;
      case "DELETE FROM tito_calls":
        if (!sql.includes("WHERE")) file.rows.clear();
        else file.rows.delete(sql.includes("ORDER BY used") ? oldest() : first);
        return undefined;
      default:
        throw new Error(`unknown statement: ${sql}`);
    }
  }

  return {
    exec(sql) {
      if (file.failure) throw file.failure;
      if (sql.startsWith("BEGIN")) file.inTransaction = true;
      else if (sql === "COMMIT" || sql === "ROLLBACK") file.inTransaction = false;
    },
    prepare: (sql) => ({ run: (...values) => run(sql, values), get: (...values) => run(sql, values) }),
    close() {},
  };
}
