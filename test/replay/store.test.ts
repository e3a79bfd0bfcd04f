import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type NewCall, TitoError, ToolCallStore, type ToolCallStoreOptions } from "../../src/index.ts";
import { fakeFile, fakeSqlite } from "../support/fakeSqlite.ts";

const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined;
const folder = mkdtempSync(join(tmpdir(), "tito-calls-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** Ways of keeping calls: each gives stores that share what is stored. */
const kinds: readonly (readonly [string, boolean, () => ToolCallStoreOptions])[] = [
  ["memory", true, () => ({})],
  [
    "a database that was passed",
    true,
    () => {
      const file = fakeFile();
      return { sqlite: fakeSqlite(file) };
    },
  ],
  ["Node's SQLite", hasSqlite, () => ({ sqlite: join(folder, `${files++}.db`) })],
];

const call = (ids: readonly number[], more: Partial<NewCall> = {}): NewCall => ({
  family: "qwen3",
  vocabulary: "v",
  name: "search",
  argumentsText: '{"q":"x"}',
  ids,
  bytes: Uint8Array.from(ids, (id) => id % 256),
  ...more,
});

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof TitoError) return error.code;
    throw error;
  }
  return "nothing was thrown";
}

describe.each(kinds)("a store in %s", (_, isThere, options) => {
  test.skipIf(!isThere)("gives back what was put, whatever it holds", () => {
    const ids = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: 20 });
    const text = fc.string({ unit: "binary" });
    const completion = fc.record({
      ids: ids.map((one) => Int32Array.from(one)),
      opening: fc.option(ids.map((one) => Int32Array.from(one))),
      reasoning: fc.option(text),
    });
    const turn = fc.record({
      key: text,
      index: fc.nat(),
      calls: fc.nat(),
      start: fc.nat(),
      completion: fc.option(completion),
    });
    const calls = fc.record({
      ids: ids.map((one) => Int32Array.from(one)),
      bytes: fc.uint8Array(),
      name: text,
      argumentsText: text,
      family: text,
      vocabulary: text,
      wireId: fc.option(text),
      raw: fc.option(text),
      head: fc.nat(),
      tail: fc.nat(),
      turn: fc.option(turn),
    });
    const store = new ToolCallStore(options());
    fc.assert(
      fc.property(fc.string(), calls, (id, given) => {
        store.put(id, given);
        expect(store.get(id)).toEqual(given);
      }),
      { numRuns: 30 },
    );
    store.close();
  });

  test.skipIf(!isThere)("keeps those that were used last", () => {
    const use = fc.record({ kind: fc.constantFrom("put", "get", "has", "delete"), id: fc.constantFrom(..."abcdef") });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (uses, maxEntries) => {
        const store = new ToolCallStore({ ...options(), maxEntries });
        // A list of ids by their last use is all there is to it.
        let expected: string[] = [];
        for (const { kind, id } of uses) {
          const isKept = expected.includes(id);
          if (kind === "has") expect(store.has(id)).toBe(isKept);
          else if (kind === "delete") expect(store.delete(id)).toBe(isKept);
          else if (kind === "get") expect(store.get(id) !== undefined).toBe(isKept);
          else store.put(id, call([1]));
          if (kind === "put" || kind === "get" || kind === "delete") {
            const others = expected.filter((one) => one !== id);
            expected = kind === "put" || (kind === "get" && isKept) ? [...others, id].slice(-maxEntries) : others;
          }
        }
        expect([..."abcdef"].filter((id) => store.has(id))).toEqual([...expected].sort());
        expect(store.size).toBe(expected.length);
        store.close();
      }),
      { numRuns: 40 },
    );
  });

  test.skipIf(!isThere)("is bounded in bytes, and its own after the put", () => {
    const store = new ToolCallStore({ ...options(), maxBytes: 2000 });
    const ids = Int32Array.from([1, 2, 3]);
    store.put("a", call([], { ids }));
    ids[0] = 9;
    store.get("a")!.ids[1] = 9;
    expect([...store.get("a")!.ids]).toEqual([1, 2, 3]);
    for (let i = 0; i < 9; i++) store.put(`b${i}`, call(Array(50).fill(i)));
    expect(store.bytes).toBeLessThanOrEqual(2000);
    expect([store.has("a"), store.has("b8")]).toEqual([false, true]);
    store.put("huge", call(Array(1000).fill(1)));
    expect(store.has("huge")).toBe(false);
    store.clear();
    expect([store.size, store.bytes]).toEqual([0, 0]);
    store.close();
  });

  test.skipIf(!isThere)("says so when it is used after its end", async () => {
    const store = new ToolCallStore(options());
    {
      await using used = store;
      used.put("a", call([1]));
    }
    for (const work of [() => store.get("a"), () => store.put("a", call([1])), () => store.size])
      expect(codeOf(work)).toBe("store_closed");
    store.close();
  });
});

describe("a store in a file", () => {
  test("survives the process, is shared, and forgets for all", () => {
    const file = fakeFile();
    const [one, other] = [fakeSqlite(file), fakeSqlite(file)].map((sqlite) => new ToolCallStore({ sqlite }));
    one.put("a", call([1, 2]));
    one.close();
    expect([...other.get("a")!.ids]).toEqual([1, 2]);
    other.delete("a");
    expect(new ToolCallStore({ sqlite: fakeSqlite(file) }).has("a")).toBe(false);
  });

  test("reads nothing out of rows that it did not write", () => {
    const file = fakeFile();
    const store = new ToolCallStore({ sqlite: fakeSqlite(file) });
    store.put("a", call([1, 2]));
    const { call: packed } = file.rows.get("a")!;
    for (const broken of [
      packed.slice(0, -1),
      packed.slice(0, 3),
      Uint8Array.of(),
      Uint8Array.from([9, ...packed.slice(1)]),
    ]) {
      file.rows.set("a", { ...file.rows.get("a")!, call: broken });
      expect(store.get("a")).toBeUndefined();
    }
  });

  test("says what the database said, and leaves no transaction open", () => {
    const file = fakeFile();
    const store = new ToolCallStore({ sqlite: fakeSqlite(file) });
    file.failure = new Error("database or disk is full");
    expect(codeOf(() => store.put("a", call([1])))).toBe("store_failed");
    expect(() => store.get("a")).toThrow(/database or disk is full/);
    file.failure = null;
    expect(file.inTransaction).toBe(false);
  });

  test.skipIf(hasSqlite)("tells a Node without SQLite what to do", () => {
    expect(codeOf(() => new ToolCallStore({ sqlite: "calls.db" }))).toBe("store_unavailable");
  });

  test.skipIf(!hasSqlite)("is there for two at once and after a restart", () => {
    const sqlite = join(folder, "shared.db");
    const [one, other] = [new ToolCallStore({ sqlite, maxEntries: 2 }), new ToolCallStore({ sqlite, maxEntries: 2 })];
    one.put("a", call([1]));
    other.put("b", call([2]));
    one.get("a");
    other.put("c", call([3]));
    one.close();
    other.close();
    const after = new ToolCallStore({ sqlite });
    expect(["a", "b", "c"].map((id) => after.has(id))).toEqual([true, false, true]);
    after.close();
    expect(codeOf(() => new ToolCallStore({ sqlite: join(folder, "no", "such", "folder.db") }))).toBe(
      "store_unavailable",
    );
  });

  test.each([{ maxEntries: 0 }, { maxBytes: 1.5 }, { maxEntries: Number.NaN }, { sqlite: {} as never }])(
    "refuses %j",
    (options) => {
      expect(codeOf(() => new ToolCallStore(options))).toBe("invalid_config");
    },
  );
});
