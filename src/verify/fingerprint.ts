import { createHash } from "node:crypto";
import type { Tokenizer } from "../tokenizer/types.ts";

/** Text that two vocabularies hardly ever split alike. */
const SAMPLE = "The quick brown fox (1234) — Zürich, 世界 🤖\n\n\t  if (x !== null) { return `été`; }";

const known = new WeakMap<Tokenizer, string>();

/** What of a tokenizer decides a render, as a hash: its name, vocabulary, tokens and chat templates. */
export function tokenizerFingerprint(tokenizer: Tokenizer): string {
  const seen = known.get(tokenizer);
  if (seen !== undefined) return seen;
  const { nameOrPath, vocabSize, addedTokens, specialTokens, chatTemplates } = tokenizer;
  const facts = [nameOrPath, vocabSize, addedTokens, [...specialTokens], [...chatTemplates]];
  const hash = hashOf([...facts, Array.from(tokenizer.encode(SAMPLE))]);
  known.set(tokenizer, hash);
  return hash;
}

/** The hash of JSON values. */
export function hashOf(values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("base64");
}

const numbers = new WeakMap<object, number>();
let last = 0;

/** A number that an object has for itself: families of one name may come and go. */
export function numberOf(object: object): number {
  const number = numbers.get(object) ?? ++last;
  numbers.set(object, number);
  return number;
}
