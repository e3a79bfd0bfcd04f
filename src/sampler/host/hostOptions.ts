import { statSync } from "node:fs";
import { refuse, refuseUnknown } from "../refuse.ts";
import type { HostOptions } from "./types.ts";

/** Options with every default filled in. @internal */
export interface HostPlan {
  readonly sequences: number;
  readonly maxQueue: number;
  readonly maxSessions: number;
  readonly idleTimeout: number | undefined;
  readonly maxStateBytes: number;
  readonly stateDirectory: string | undefined;
}

const names = ["sequences", "maxQueue", "maxSessions", "idleTimeout", "maxStateBytes", "stateDirectory"];
const gibibyte = 2 ** 30;

// setTimeout fires at once for more.
const longestTimeout = 2 ** 31 - 1;

/** @throws TitoError `sampler_option` naming the option. @internal */
export function planHost(options: HostOptions, sequencesLeft: number): HostPlan {
  refuseUnknown(options, names, "");
  const whole = (key: keyof HostOptions, fallback: number, least: number, most: number): number => {
    const value = options[key] ?? fallback;
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
      refuse(key, value, `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}`);
    return value as number;
  };
  const { idleTimeout, stateDirectory } = options;
  if (idleTimeout !== undefined && !(idleTimeout > 0 && idleTimeout <= longestTimeout))
    refuse("idleTimeout", idleTimeout, `milliseconds, above 0 and at most ${longestTimeout}`);
  if (stateDirectory !== undefined && !isDirectory(stateDirectory))
    refuse("stateDirectory", stateDirectory, "the path of a directory that is there");
  const sequences = whole("sequences", sequencesLeft, 1, sequencesLeft);
  return {
    sequences,
    maxQueue: whole("maxQueue", 1024, 0, Number.MAX_SAFE_INTEGER),
    maxSessions: whole("maxSessions", Math.max(1, sequences - 1), 1, sequences),
    idleTimeout,
    maxStateBytes: whole("maxStateBytes", gibibyte, 0, Number.MAX_SAFE_INTEGER),
    stateDirectory,
  };
}

function isDirectory(path: unknown): boolean {
  return typeof path === "string" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
