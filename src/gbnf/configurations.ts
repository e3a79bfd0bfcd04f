import type { State } from "./network.ts";
import { afterCharacter, expand, type Frame, newFrame, type Thread } from "./stacks.ts";

/** A set of places in a grammar. Equal sets of one store are one object. */
export interface Configuration {
  /** No two configurations of the process have the same. */
  readonly id: number;
  readonly threads: readonly Thread[];
  readonly complete: boolean;
  /** Code points from one of these up to the next one are taken by the same threads; the first is 0. */
  readonly edges: readonly number[];
  /** What they lead to, as far as that was asked for; null = nowhere. */
  readonly steps: (Configuration | null | undefined)[];
  /** The same by the threads that take them, which are few. */
  readonly stepsByTakers: Map<string, Configuration | null>;
}

/** Configurations of one grammar, each once, so that ways through a grammar that meet again are walked once. */
export interface Configurations {
  /** The configuration of a matcher's places; `root` is the frame that returns to nothing. */
  readonly of: (threads: readonly Thread[], complete: boolean, root: Frame) => Configuration;
  readonly after: (one: Configuration, code: number) => Configuration | null;
  /** How much is kept: a count of configurations, frames and edges. */
  readonly size: () => number;
}

let made = 0;

export function configurationsOf(): Configurations {
  const emptyFrame = newFrame();
  const stateIds = new Map<State, number>();
  const frames = new Map<string, Frame>();
  const frameIds = new Map<Frame, number>([[emptyFrame, 0]]);
  const canonical = new WeakMap<Frame, Frame>([[emptyFrame, emptyFrame]]);
  const known = new Map<string, Configuration>();
  let kept = 0;

  const numberOf = (state: State): number => {
    const id = stateIds.get(state) ?? stateIds.size;
    if (id === stateIds.size) stateIds.set(state, id);
    return id;
  };
  const keyed = (state: State, frame: Frame): string => `${numberOf(state)}.${frameIds.get(frame)}`;

  /** The one frame that returns to what this one returns to. Without recursion: calls may be nested deep. */
  const same = (wanted: Frame): Frame => {
    const waiting = [wanted];
    while (waiting.length > 0) {
      const frame = waiting[waiting.length - 1];
      const before = waiting.length;
      if (!canonical.has(frame))
        for (const one of frame.returns) if (!canonical.has(one.frame)) waiting.push(one.frame);
      if (waiting.length > before) continue;
      waiting.pop();
      if (canonical.has(frame)) continue;
      const returns = new Map<string, Thread | Frame["returns"][number]>();
      for (const { state, frame: to } of frame.returns) {
        const one = { state, frame: canonical.get(to)! };
        returns.set(keyed(one.state, one.frame), one);
      }
      const key = [...returns.keys()].sort().join();
      let found = frames.get(key);
      if (found === undefined) {
        found = newFrame();
        found.returns.push(...returns.values());
        frames.set(key, found);
        frameIds.set(found, frameIds.size);
        canonical.set(found, found);
      }
      canonical.set(frame, found);
    }
    return canonical.get(wanted)!;
  };

  const of: Configurations["of"] = (threads, complete, root) => {
    canonical.set(root, emptyFrame);
    const byKey = new Map<string, Thread>();
    for (const { state, frame } of threads) {
      const one = { state, frame: same(frame) };
      byKey.set(keyed(one.state, one.frame), one);
    }
    const key = `${[...byKey.keys()].sort().join()}${complete ? "!" : ""}`;
    let found = known.get(key);
    if (found === undefined) {
      const own = [...byKey.values()];
      const edges = edgesOf(own);
      found = { id: ++made, threads: own, complete, edges, steps: [], stepsByTakers: new Map() };
      kept += edges.length;
      known.set(key, found);
    }
    return found;
  };

  const step = (one: Configuration, code: number): Configuration | null => {
    const seeds = afterCharacter(one.threads, code);
    if (seeds.length === 0) return null;
    const takers = seeds.map(({ state, frame }) => keyed(state, frame)).join();
    const next = one.stepsByTakers.get(takers);
    if (next !== undefined) return next;
    const { threads, complete } = expand(seeds, emptyFrame);
    const found = threads.length > 0 || complete ? of(threads, complete, emptyFrame) : null;
    one.stepsByTakers.set(takers, found);
    return found;
  };

  return {
    of,
    after(one, code) {
      const at = lastUpTo(one.edges, code);
      const seen = one.steps[at];
      if (seen !== undefined) return seen;
      const next = step(one, code);
      one.steps[at] = next;
      return next;
    },
    size: () => known.size + frames.size + kept,
  };
}

function edgesOf(threads: readonly Thread[]): number[] {
  const edges = new Set([0]);
  for (const { state } of threads) {
    if (state.kind !== "character") continue;
    for (const [from, to] of state.set) edges.add(from).add(to + 1);
  }
  return [...edges].sort((a, b) => a - b);
}

/** The place of the last of these numbers that is not above a value. */
function lastUpTo(numbers: readonly number[], value: number): number {
  let first = 0;
  let end = numbers.length;
  while (end - first > 1) {
    const middle = (first + end) >>> 1;
    if (numbers[middle] <= value) first = middle;
    else end = middle;
  }
  return first;
}
