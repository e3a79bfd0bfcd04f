import type { Message } from "../../messages/index.ts";
import type { CounterExample } from "./types.ts";

const BEFORE = 60;
const BEHIND = 160;

/** Where two texts part. */
export function counterExample(messages: readonly Message[], expected: string, actual: string): CounterExample {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  return {
    messages,
    at,
    before: expected.slice(Math.max(0, at - BEFORE), at),
    expected: expected.slice(at, at + BEHIND),
    actual: actual.slice(at, at + BEHIND),
  };
}
