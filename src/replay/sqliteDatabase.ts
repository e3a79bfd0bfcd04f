import { TitoError } from "../errors.ts";

/**
 * What is asked of SQLite. `DatabaseSync` of `node:sqlite` and the `Database` of better-sqlite3 are such objects as they are;
 * BLOBs come and go as `Uint8Array`.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  run(...values: (string | number | Uint8Array)[]): unknown;
  /** The first row by the names of its columns; undefined if there is none. */
  get(...values: (string | number | Uint8Array)[]): unknown;
}

/**
 * Opens a file with Node's own SQLite, for several processes at once.
 *
 * @throws TitoError `store_unavailable`
 */
export function openSqlite(path: string): SqliteDatabase {
  const { DatabaseSync } = nodeSqlite();
  let database: SqliteDatabase;
  try {
    database = new DatabaseSync(path);
    // Another process may hold the file for a moment. Without the log of writes readers would wait for writers.
    database.exec("PRAGMA busy_timeout = 5000");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
  } catch (cause) {
    throw new TitoError(
      "store_unavailable",
      `The store's file cannot be opened: ${(cause as Error).message}. Name a path in a folder that exists and can be written.`,
      { details: { path }, cause },
    );
  }
  return database;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

/** Asked of the process, because an import of a module that this Node does not have would fail before a word is said. */
function nodeSqlite(): NodeSqlite {
  const found = process.getBuiltinModule?.("node:sqlite") as unknown as NodeSqlite | undefined;
  if (found !== undefined) return found;
  throw new TitoError(
    "store_unavailable",
    `This Node (${process.version}) has no SQLite of its own: it comes with 22.13 and later. Use such a Node, or pass an open ` +
      'database instead of a path: { sqlite: new Database("calls.db") } with better-sqlite3.',
    { details: { node: process.version } },
  );
}
