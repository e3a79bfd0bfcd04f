import { expect, test } from "vitest";
import { TextCache } from "./textCache.ts";

const text = (start: string, length: number) => start.padEnd(length, ".");
const ids = (id: number) => Int32Array.of(id);

test("takes texts that are worth keeping", () => {
  const cache = new TextCache();
  expect([1, 100, 1 << 16, (1 << 16) + 1].map((length) => cache.takes(text("a", length)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("keeps what is asked for, forgets what is not, and stays bounded", () => {
  const cache = new TextCache();
  const length = 1 << 16;
  cache.set(text("used", length), ids(1));
  cache.set(text("unused", length), ids(2));
  let kept = 0;
  for (let i = 0; i < 100; i++) {
    cache.set(text(`other ${i} `, length), ids(i));
    expect(cache.get(text("used", length))).toEqual(ids(1));
  }
  expect(cache.get(text("unused", length))).toBeUndefined();
  for (let i = 0; i < 100; i++) if (cache.get(text(`other ${i} `, length))) kept++;
  // Two generations of 16 such texts.
  expect(kept).toBeGreaterThan(5);
  expect(kept).toBeLessThanOrEqual(32);
});

test("forgets all when cleared", () => {
  const cache = new TextCache();
  cache.set(text("a", 100), ids(1));
  cache.clear();
  expect(cache.get(text("a", 100))).toBeUndefined();
});
