/** The text with U+FFFD in place of each lone surrogate; the same string if there is none. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
