import { meets } from "./codePoints.ts";
import type { CharacterState, NetworkRule, State, TokenState } from "./network.ts";
import { planOf } from "./plan.ts";

/**
 * A call of a rule that is under way. Calls of one rule from one place in the text share a frame whatever they return to,
 * so ambiguous grammars do not multiply; nothing in a frame changes after the step that made it.
 */
export interface Frame {
  readonly returns: Return[];
  /** Whether it ended in the step that made it: whoever joins later returns at once. */
  ended: boolean;
  /** The states entered in the step with this number. */
  step: number;
  entered: State[];
  enteredSet: Set<State> | undefined;
}

interface Return {
  readonly state: State;
  readonly frame: Frame;
}

/** A state that waits for input, and what it returns to. */
export interface Thread {
  readonly state: CharacterState | TokenState;
  readonly frame: Frame;
}

/** A place to go on from. */
export interface Seed {
  readonly state: State;
  readonly frame: Frame;
}

export interface Expansion {
  readonly threads: readonly Thread[];
  /** Whether the text may end here. */
  readonly complete: boolean;
}

/** Stands for "has returned" among the states that a frame has entered. */
const returned: State = { kind: "end" };
/** Beyond this many states a set is faster than looking through a list. */
const manyStates = 16;
/** Steps of all matchers: frames that these share must not mistake another one's marks for their own. */
let steps = 0;

export const newFrame = (): Frame => ({ returns: [], ended: false, step: 0, entered: [], enteredSet: undefined });

/** Follows everything that needs no input. Uses no recursion: input may be nested as deep as it likes. */
export function expand(seeds: readonly Seed[], root: Frame): Expansion {
  const step = ++steps;
  const calls = new Map<NetworkRule, Frame>();
  const threads: Thread[] = [];
  const states: State[] = [];
  const frames: Frame[] = [];
  let complete = false;

  const enter = (state: State, frame: Frame): void => {
    if (!mark(state, frame, step)) return;
    states.push(state);
    frames.push(frame);
  };

  for (const { state, frame } of seeds) enter(state, frame);
  while (states.length > 0) {
    const { waiting, calls: called, ends } = planOf(states.pop()!);
    const frame = frames.pop()!;
    for (const state of waiting) threads.push({ state, frame });
    for (const { rule, next } of called) {
      const known = calls.get(rule);
      const entered = known ?? newFrame();
      if (known?.returns.some((one) => one.state === next && one.frame === frame)) continue;
      entered.returns.push({ state: next, frame });
      if (entered.ended) enter(next, frame);
      if (known !== undefined) continue;
      calls.set(rule, entered);
      enter(rule.start, entered);
    }
    if (!ends || !mark(returned, frame, step)) continue;
    if (frame === root) complete = true;
    frame.ended = true;
    for (const one of frame.returns) enter(one.state, one.frame);
  }
  return { threads, complete };
}

function mark(state: State, frame: Frame, step: number): boolean {
  if (frame.step !== step) {
    frame.step = step;
    frame.entered = [state];
    frame.enteredSet = undefined;
    return true;
  }
  if (frame.enteredSet?.has(state) ?? frame.entered.includes(state)) return false;
  frame.entered.push(state);
  if (frame.enteredSet !== undefined) frame.enteredSet.add(state);
  else if (frame.entered.length > manyStates) frame.enteredSet = new Set(frame.entered);
  return true;
}

/** Where the threads that take a code point go on. */
export function afterCharacter(threads: readonly Thread[], code: number): Seed[] {
  const seeds: Seed[] = [];
  for (const { state, frame } of threads) {
    if (state.kind === "character" && meets(state.set, code, code)) seeds.push({ state: state.next, frame });
  }
  return seeds;
}
