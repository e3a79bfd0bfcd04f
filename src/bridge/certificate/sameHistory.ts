import type { TurnShape } from "../../renderers/default/turnShape.ts";

/** How two texts of one history agree. */
export type Agreement = "exact" | "emptyThinking" | "none";

/**
 * Compares the beginning of a render with what it should go on from. Thinking blocks without thoughts may come and go: nothing
 * that anybody said is in them.
 */
export function historyAgreement(
  expected: string,
  actual: string,
  { thinking, isPrefix, hasThoughts }: AgreementOptions,
): Agreement {
  const agrees = (a: string, b: string) => (isPrefix ? b.startsWith(a) : a === b);
  if (agrees(expected, actual)) return "exact";
  if (thinking === null) return "none";
  const [open, close] = [escaped(thinking.open), escaped(thinking.close)];
  // Where there are no thoughts, every marker of them stands for none.
  const empty = new RegExp(hasThoughts ? `${open}\\s*${close}\\s*` : `(?:${open}|${close})\\s*`, "g");
  const without = (text: string) => text.replace(empty, "");
  return agrees(without(expected), without(actual)) ? "emptyThinking" : "none";
}

/**
 * The same for a turn that is finished and one that others follow. Some templates leave the last turn open; its end is what the
 * model samples.
 */
export function turnAgreement(
  alone: PlacedTurn,
  followed: PlacedTurn,
  options: Omit<AgreementOptions, "isPrefix"> & { readonly turnEnd: string | null },
): Agreement {
  const { turnEnd } = options;
  const isLeftOpen = turnEnd !== null && followed.isMarked && !alone.isMarked;
  const expected = isLeftOpen ? alone.front + turnEnd : alone.front;
  return historyAgreement(expected, followed.front, { ...options, isPrefix: false });
}

/** A render up to the end of a turn. */
export interface PlacedTurn {
  readonly front: string;
  readonly isMarked: boolean;
}

export interface AgreementOptions {
  readonly thinking: TurnShape["thinking"];
  /** The expected text need only be the beginning. */
  readonly isPrefix: boolean;
  readonly hasThoughts: boolean;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
