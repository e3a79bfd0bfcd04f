/** What became of a case. */
export type Outcome =
  | { readonly outcome: "passed"; readonly via: string; readonly actual: unknown }
  | { readonly outcome: "failed"; readonly why: string; readonly actual: unknown }
  | { readonly outcome: "deviates"; readonly via: string; readonly actual: unknown }
  | { readonly outcome: "skipped"; readonly why: string };

export const passed = (via: string, actual: unknown): Outcome => ({ outcome: "passed", via, actual });
export const failed = (why: string, actual: unknown): Outcome => ({ outcome: "failed", why, actual });
export const skipped = (why: string): Outcome => ({ outcome: "skipped", why });

/** The first place where two rows of numbers differ, in words; null when they are equal. */
export function firstDifference(expected: ArrayLike<number>, actual: ArrayLike<number>): string | null {
  const length = Math.max(expected.length, actual.length);
  for (let i = 0; i < length; i++) {
    if (expected[i] !== actual[i])
      return `at ${i}: expected ${expected[i] ?? "the end"}, got ${actual[i] ?? "the end"}`;
  }
  return null;
}

export const equalRows = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => firstDifference(a, b) === null;
