import fc from "fast-check";
import { expect, it } from "vitest";
import { runGroup } from "../../src/sampler/host/group.ts";
import type { Completion } from "../../src/sampler/index.ts";
import { nextCycle } from "./hostFixture.ts";

const cycles = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await nextCycle();
};

it("a group gives every member once, never runs more than its workers, and ends when all of them have", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.option(fc.nat(11), { nil: undefined }),
      fc.option(fc.nat(11), { nil: undefined }),
      fc.nat(3),
      async (durations, workers, failing, leaveAfter, pause) => {
        let running = 0;
        let most = 0;
        let ended = 0;
        const started: number[] = [];
        const run = async (index: number, signal: AbortSignal) => {
          started.push(index);
          most = Math.max(most, ++running);
          for (let i = 0; i < durations[index]! && !signal.aborted; i++) await nextCycle();
          running--;
          if (index === failing) throw new Error("failed");
          return { finish: signal.aborted ? "aborted" : "length" } as Completion;
        };
        const group = runGroup({
          count: durations.length,
          workers,
          first: async (signal, onWarm) => {
            await nextCycle();
            expect(started).toEqual([]);
            onWarm();
            return run(0, signal);
          },
          member: run,
          end: async () => {
            expect(running).toBe(0);
            ended++;
          },
        });
        const handed: number[] = [];
        let failure: unknown;
        try {
          for await (const { index, finish } of group) {
            expect(finish).toBe("length");
            handed.push(index);
            await cycles(pause);
            if (handed.length - 1 === leaveAfter) break;
          }
        } catch (error) {
          failure = error;
        }
        expect([running, ended]).toEqual([0, 1]);
        expect(most).toBeLessThanOrEqual(workers);
        expect(new Set(started).size).toBe(started.length);
        expect(new Set(handed).size).toBe(handed.length);
        if (failure !== undefined) expect(failure).toMatchObject({ message: "failed" });
        else if (leaveAfter === undefined || leaveAfter >= durations.length)
          expect([...handed].sort((a, b) => a - b)).toEqual(durations.map((_, index) => index));
        if (failing !== undefined && failing < durations.length && (leaveAfter ?? 99) >= durations.length)
          expect(failure).toBeDefined();
      },
    ),
    { numRuns: 200 },
  ));
