import { type Gbnf, matches, sampleGbnf } from "../gbnf/index.ts";

interface Side {
  readonly gbnf: Gbnf;
  readonly root: string;
}

/** How many texts each grammar gives. */
const rounds = 100;

/**
 * A text that one of two grammars matches and the other does not, in words; null if none was found among random texts of
 * both and small changes to these. The same seed looks at the same texts.
 */
export function languageDifference(a: Side, b: Side, seed: string): string | null {
  const random = seededRandom(seed);
  const takes = ({ gbnf, root }: Side, text: string) => matches(gbnf, text, { root });
  for (let round = 0; round < rounds; round++) {
    for (const { gbnf, root } of [a, b]) {
      const text = sampleGbnf(gbnf, random, { root, budget: 60 });
      for (const one of [text, changed(text, random), changed(changed(text, random), random)]) {
        const [ours, theirs] = [takes(a, one), takes(b, one)];
        if (ours !== theirs)
          return `${JSON.stringify(one)} matches ${ours ? "only here" : "only the recorded grammar"}`;
      }
    }
  }
  return null;
}

const common = [...'"\\{}[]:,. \n\t0123456789-+eEuabfnrtz'];

/** A text with a character less, more, or another. */
function changed(text: string, random: () => number): string {
  const characters = Array.from(text);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)];
  const at = Math.floor(random() * (characters.length + 1));
  const way = random();
  const other = characters.length > 0 && random() < 0.5 ? pick(characters) : pick(common);
  characters.splice(at, way < 0.33 ? 0 : 1, ...(way < 0.66 ? [other] : []));
  return characters.join("");
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32 over a hash of it). */
function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
