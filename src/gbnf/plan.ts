import type { CallState, CharacterState, State, TokenState } from "./network.ts";

/** What a state leads to within its rule without input: computed once, whatever calls the rule. */
export interface Plan {
  readonly waiting: readonly (CharacterState | TokenState)[];
  readonly calls: readonly CallState[];
  /** Whether the rule may end. */
  readonly ends: boolean;
}

export function planOf(start: State): Plan {
  if (start.plan !== undefined) return start.plan;
  const waiting: (CharacterState | TokenState)[] = [];
  const calls: CallState[] = [];
  let ends = false;
  const entered = new Set([start]);
  for (const state of entered) {
    if (state.kind === "split") for (const target of state.targets) entered.add(target);
    else if (state.kind === "end") ends = true;
    else if (state.kind !== "call") waiting.push(state);
    // A last call returns to where its caller does, so it is as good as its rule: lists spelled by recursion stay flat.
    else if (state.next.kind === "end") entered.add(state.rule.start);
    else calls.push(state);
  }
  const plan = { waiting, calls, ends };
  start.plan = plan;
  return plan;
}
