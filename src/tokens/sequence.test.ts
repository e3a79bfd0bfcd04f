import fc from "fast-check";
import { expect, test } from "vitest";
import { TokenSequence } from "./sequence.ts";

test("branches hold what was appended to each, and share what came before", () => {
  const step = fc.record({
    branch: fc.nat(),
    fork: fc.boolean(),
    ids: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const branches = [{ sequence: new TokenSequence(), ids: [] as number[] }];
      for (const { branch, fork, ids } of steps) {
        const one = branches[branch % branches.length];
        if (fork) branches.push({ sequence: one.sequence.fork(), ids: [...one.ids] });
        one.sequence.append(ids);
        one.ids.push(...ids);
      }
      for (const { sequence, ids } of branches) {
        expect(Array.from(sequence.ids)).toEqual(ids);
        expect(sequence.length).toBe(ids.length);
        expect(sequence.at(-1)).toBe(ids.at(-1));
      }
    }),
  );
});

test("a view stays what it was when the sequence and its branches grow", () => {
  const sequence = new TokenSequence([1, 2]);
  const view = sequence.ids;
  const branch = sequence.fork().append([7]);
  sequence.append(Array.from({ length: 100 }, (_, i) => i));
  expect(Array.from(view)).toEqual([1, 2]);
  expect(Array.from(branch.ids)).toEqual([1, 2, 7]);
});

test("the branch that writes on shares the buffer, the other one copies", () => {
  const sequence = new TokenSequence([1, 2, 3]);
  const branch = sequence.fork();
  sequence.append([4]);
  branch.append([5]);
  expect(sequence.ids.buffer).not.toBe(branch.ids.buffer);
  const child = sequence.fork();
  expect(child.ids.buffer).toBe(sequence.ids.buffer);
});

test("isPrefixOf", () => {
  const sequence = new TokenSequence([1, 2]);
  expect(sequence.isPrefixOf([1, 2, 3])).toBe(true);
  expect(sequence.isPrefixOf([1, 3, 3])).toBe(false);
  expect(sequence.isPrefixOf([1])).toBe(false);
});
