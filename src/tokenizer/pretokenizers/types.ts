/**
 * Where the pre-token that starts at `start` ends: one match of a pre-tokenizer's pattern, or the text that no
 * alternative of the pattern matches up to the next match. Pure; always greater than `start`.
 *
 * `units` holds the text's UTF-16 code units in `[0, end)` and a 0 at `end`: a run of letters then stops by itself.
 * A lone surrogate reads as U+FFFD.
 */
export type Scanner = (units: Uint16Array, start: number, end: number) => number;
