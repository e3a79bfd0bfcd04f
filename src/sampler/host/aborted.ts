import { randomInt } from "node:crypto";
import type { SampleOptions } from "../options.ts";
import type { Completion, SampleEnd } from "../types.ts";

/** The end of a call that was aborted before it had a sequence. */
export function abortedEnd({ seed = randomInt(2 ** 32 - 1) }: SampleOptions): SampleEnd {
  return { finish: "aborted", seed, reusedTokens: 0, evaluatedTokens: 0 };
}

export function abortedCompletion(options: SampleOptions): Completion {
  return {
    ids: new Int32Array(0),
    logprobs: new Float64Array(0),
    logprobsMode: "off",
    greedyMask: new Uint8Array(0),
    forcedMask: new Uint8Array(0),
    insertedMask: new Uint8Array(0),
    ...abortedEnd(options),
  };
}
