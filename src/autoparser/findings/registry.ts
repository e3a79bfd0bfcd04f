import { TitoError } from "../../errors.ts";
import { builtInHypotheses } from "./hypotheses.ts";
import type { Hypothesis } from "./hypothesis.ts";

const added = new Map<string, Hypothesis>();

/** Counts changes: an analysis that was made with other hypotheses is not the same. */
let version = 0;

/**
 * Makes a format of your own known to every analysis that follows, and so to default renderers. It is tried before the built-in
 * ones, and taken if it reads what the template writes. Gives back a function that undoes it. Known in this thread only.
 *
 * @throws TitoError `invalid_config` if the name is taken
 */
export function registerHypothesis(hypothesis: Hypothesis): () => void {
  const { name } = hypothesis;
  if (added.has(name) || builtInHypotheses.some((one) => one.name === name)) {
    throw new TitoError("invalid_config", `A hypothesis "${name}" is there already. Take another name.`, {
      details: { field: "name", actual: name },
    });
  }
  added.set(name, hypothesis);
  version++;
  return () => {
    if (added.get(name) === hypothesis && added.delete(name)) version++;
  };
}

/** The user's own first. */
export const allHypotheses = (): readonly Hypothesis[] => [...added.values(), ...builtInHypotheses];

export const hypothesesVersion = (): number => version;
