import { abortedCompletion } from "./aborted.ts";
import type { Call, CallRunner } from "./callRunner.ts";
import type { GroupParts } from "./group.ts";
import type { HeldPrefix } from "./prefixes.ts";
import type { Slot } from "./slot.ts";
import type { Warmer } from "./warmer.ts";

/**
 * The members of a group, all of one prompt. The first one's sequence evaluates all of the prompt but its last id, whose logits each
 * member samples from; where there are other sequences, they load what it then holds.
 */
export function groupParts(
  calls: readonly Call[],
  workers: number,
  runner: CallRunner,
  warmer: Warmer,
  closed: () => boolean,
): GroupParts {
  const [one] = calls as [Call];
  const common = calls.every(({ options }) => options.signal === one.options.signal) ? one.options.signal : undefined;
  const start: Call = { ...one, prompt: one.prompt.slice(0, -1) };
  let prefix: HeldPrefix | undefined;
  const member = (index: number, stop: AbortSignal): Call => {
    const { options, ...call } = calls[index]!;
    const parent = prefix && ({ kind: "prefix", prefix } as const);
    return { ...call, options: { ...options, signal: either(options.signal, stop) }, parent };
  };

  const evaluate = async (slot: Slot, signal: AbortSignal): Promise<number> => {
    const evaluated = start.prompt.length > 0 ? await runner.hold(slot, start, signal) : 0;
    const elsewhere = calls.length > 1 && (workers > 1 || !slot.rewinds);
    if (elsewhere) prefix = await warmer.keep(slot, start.prompt, 1);
    return evaluated;
  };

  return {
    count: calls.length,
    workers,
    first: async (stop, onWarm) => {
      const signal = either(common, stop);
      const slot = await runner.take({ prompt: start.prompt, options: { signal } }, start.prompt.length);
      if (slot === undefined) return abortedCompletion(one.options);
      let evaluated: number;
      try {
        evaluated = await evaluate(slot, signal);
      } catch (cause) {
        await runner.giveBack(slot, false, { cause });
        if (closed() || signal.aborted) return abortedCompletion(one.options);
        throw cause;
      }
      onWarm();
      const completion = await runner.complete(member(0, stop), runner.leaseSlot(slot));
      // What was evaluated for the group is told of its first member.
      const { reusedTokens, evaluatedTokens } = completion;
      return { ...completion, reusedTokens: reusedTokens - evaluated, evaluatedTokens: evaluatedTokens + evaluated };
    },
    member: async (index, stop) => {
      const call = member(index, stop);
      return runner.complete(call, await runner.lease(call, true));
    },
    end: async () => {
      if (prefix !== undefined) await warmer.drop(prefix);
    },
  };
}

const either = (signal: AbortSignal | undefined, stop: AbortSignal): AbortSignal =>
  signal === undefined ? stop : AbortSignal.any([signal, stop]);
