/** How much a render may use: a hostile template ends in an error, never in a hang. */
export interface TemplateLimits {
  /** UTF-16 units of the output, and of any text on the way; an item of a list that the template makes counts for 16. */
  readonly length: number;
  /** Loop turns, calls and items looked at. */
  readonly steps: number;
  /** Calls of macros and recursive loops within one another. */
  readonly depth: number;
  readonly milliseconds: number;
}

export const defaultLimits: TemplateLimits = {
  length: 32 * 1024 * 1024,
  steps: 20_000_000,
  depth: 200,
  milliseconds: 30_000,
};

/** Where a limit is hit. */
export class LimitExceeded {
  readonly limit: keyof TemplateLimits;
  readonly most: number;

  constructor(limit: keyof TemplateLimits, most: number) {
    this.limit = limit;
    this.most = most;
  }
}
