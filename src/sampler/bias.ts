/** What is added to logits, in nats. */

/** Beside a grammar nothing may be infinitely unlikely: see `refuseBesideGrammar`. An id with this bias is drawn if there is no other. */
export const bannedLogit = -1e9;

/** Lifts ids above all others: no weight of another one is seen beside e^128, and 32 bits still hold 5 digits of a logit. */
export const lift = 128;

export const bansOf = (ids: readonly number[]): readonly (readonly [number, number])[] =>
  ids.map((id) => [id, bannedLogit]);

/** Within what may stand beside a grammar. */
export const softened = (logit: number): number => Math.min(-bannedLogit, Math.max(bannedLogit, logit));
