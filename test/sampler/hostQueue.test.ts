import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TitoError } from "../../src/errors.ts";
import { Slot } from "../../src/sampler/host/slot.ts";
import { SlotQueue } from "../../src/sampler/host/slotQueue.ts";
import { groupSeed } from "../../src/sampler/index.ts";
import { nextCycle } from "./hostFixture.ts";

const slots = (count: number): Slot[] => Array.from({ length: count }, () => new Slot(() => ({}) as never));
const any = { rate: () => 0, signal: undefined };

const step = fc.record({
  act: fc.constantFrom("call", "session", "giveBack", "abort"),
  pick: fc.nat(1000),
});

describe("who waits for a sequence", () => {
  it("is served in the order of coming, within the limits, and leaves nothing behind", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 5 }),
        fc.array(step, { maxLength: 60 }),
        async (count, sessionLimit, maxQueue, steps) => {
          const maxSessions = Math.min(sessionLimit, count);
          const queue = new SlotQueue(slots(count), { maxQueue, maxSessions });
          const held: { slot: Slot; forSession: boolean }[] = [];
          const waiting: { at: number; forSession: boolean; controller: AbortController }[] = [];
          const served: { at: number; forSession: boolean }[] = [];
          for (const [at, { act, pick }] of steps.entries()) {
            if (act === "call" || act === "session") {
              const forSession = act === "session";
              const one = { at, forSession, controller: new AbortController() };
              waiting.push(one);
              const leave = () => waiting.splice(waiting.indexOf(one), 1);
              queue.take({ forSession, rate: () => pick, signal: one.controller.signal }).then(
                (slot) => {
                  leave();
                  if (slot === undefined) return;
                  held.push({ slot, forSession });
                  served.push(one);
                },
                (error: TitoError) => {
                  leave();
                  expect(error.code).toBe("queue_full");
                  expect(queue.waiting).toBe(maxQueue);
                },
              );
            } else if (act === "giveBack" && held.length > 0) {
              const [{ slot, forSession }] = held.splice(pick % held.length, 1) as [(typeof held)[0]];
              queue.giveBack(slot, forSession);
            } else if (act === "abort" && waiting.length > 0) waiting[pick % waiting.length]!.controller.abort();
            await nextCycle();
            expect(queue.waiting).toBe(waiting.length);
            expect(queue.waiting).toBeLessThanOrEqual(maxQueue);
            expect(queue.free + held.length).toBe(count);
            const sessions = held.filter(({ forSession }) => forSession).length;
            expect(sessions).toBeLessThanOrEqual(maxSessions);
            // Nobody waits who could be served.
            if (queue.free > 0)
              expect(waiting.every(({ forSession }) => forSession && sessions === maxSessions)).toBe(true);
          }
          for (const kind of [true, false]) {
            const order = served.filter(({ forSession }) => forSession === kind).map(({ at }) => at);
            expect(order).toEqual([...order].sort((a, b) => a - b));
          }
          for (const { controller } of [...waiting]) controller.abort();
          for (const { slot, forSession } of held) queue.giveBack(slot, forSession);
          await nextCycle();
          expect(queue).toMatchObject({ free: count, waiting: 0 });
        },
      ),
      { numRuns: 150 },
    ));

  it("gets the best slot, and among equals the one not used for longest", async () => {
    const [first, second, third] = slots(3) as [Slot, Slot, Slot];
    const queue = new SlotQueue([first, second, third], { maxQueue: 1, maxSessions: 2 });
    const take = (rate: (slot: Slot) => number) => queue.take({ ...any, forSession: false, rate });
    expect(await take((slot) => (slot === third ? 5 : 1))).toBe(third);
    queue.giveBack(third, false);
    expect(await take(() => 0)).toBe(first);
    queue.giveBack(first, false);
    expect(await take(() => 0)).toBe(second);
    queue.giveBack(second, false);
    expect(await take(() => 0)).toBe(third);
  });

  it("is told that the queue is full, and with what it was closed", async () => {
    const queue = new SlotQueue(slots(1), { maxQueue: 1, maxSessions: 1 });
    await queue.take({ ...any, forSession: false });
    const waiting = queue.take({ ...any, forSession: false });
    await expect(queue.take({ ...any, forSession: false })).rejects.toMatchObject({
      code: "queue_full",
      details: { maxQueue: 1, sequences: 1 },
    });
    const admitted = queue.take({ ...any, forSession: false, admitted: true });
    const failure = new TitoError("session_ended", "closed");
    queue.close(failure);
    await expect(waiting).rejects.toBe(failure);
    await expect(admitted).rejects.toBe(failure);
    await expect(queue.take({ ...any, forSession: false })).rejects.toBe(failure);
  });

  it("fails when the last slot is lost", async () => {
    const [first, second] = slots(2) as [Slot, Slot];
    const queue = new SlotQueue([first, second], { maxQueue: 1, maxSessions: 1 });
    await queue.take({ ...any, forSession: false });
    await queue.take({ ...any, forSession: true });
    const waiting = queue.take({ ...any, forSession: false });
    queue.drop(first, false, new Error("gone"));
    queue.drop(second, true, new Error("gone"));
    await expect(waiting).rejects.toMatchObject({ code: "no_sequence_left" });
  });
});

describe("seeds of a group", () => {
  const seed = fc.nat(0xfffffffe);

  it("are seeds, and differ between members and between neighbouring groups", () =>
    fc.assert(
      fc.property(seed, (seed) => {
        const seeds = [seed, (seed + 1) % 0xffffffff].flatMap((seed) =>
          Array.from({ length: 64 }, (_, index) => groupSeed(seed, index)),
        );
        expect(new Set(seeds.slice(0, 64)).size).toBe(64);
        expect(new Set(seeds).size).toBeGreaterThanOrEqual(127);
        for (const one of seeds) expect(Number.isInteger(one) && one >= 0 && one < 0xffffffff).toBe(true);
      }),
    ));

  it("stay what they are", () => {
    expect([0, 1, 2].map((index) => groupSeed(7, index))).toMatchInlineSnapshot(`
      [
        2370615769,
        3347900197,
        2568047810,
      ]
    `);
  });
});
