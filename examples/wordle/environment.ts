import type { Environment } from "../environment.ts";
import { pick, random } from "../random.ts";

export const secrets = "crane eerie gloom hurry llama mango night ocean piano quilt sheep tiger".split(" ");

const rules = `You play Wordle. Guess the secret word of five letters, and write each guess as <guess>word</guess>.
After each guess you are told of every letter: G, it is there; Y, it is somewhere else; X, it is not in the word.`;

export interface WordleOptions {
  /** Turns of the model. Default 6. */
  readonly guesses?: number;
}

/** Several turns without tools: every answer of the world is a user's message. Worth 1 if won, else the best guess's greens, by ten. */
export function wordle({ guesses = 6 }: WordleOptions = {}): Environment {
  return {
    start(seed) {
      const secret = pick(secrets, random(seed));
      let left = guesses;
      let best = 0;
      return {
        tools: [],
        opening: [
          { role: "system", content: rules },
          { role: "user", content: `Make your first guess. You have ${guesses}.` },
        ],
        answer({ parsed }) {
          left--;
          const guess = guessIn(parsed.content);
          const marks = guess === undefined ? undefined : marksOf(guess, secret);
          best = Math.max(best, marks?.filter((mark) => mark === "G").length ?? 0);
          if (best === 5 || left === 0) return null;
          const told = marks?.join(" ") ?? "That is no guess. Write five letters as <guess>word</guess>.";
          return [{ role: "user", content: `${told}\nGuesses left: ${left}.` }];
        },
        reward: () => (best === 5 ? 1 : best / 10),
      };
    },
  };
}

/** The last guess in a text; the model may weigh others before it. */
function guessIn(content: string): string | undefined {
  return [...content.matchAll(/<guess>\s*([a-z]{5})\s*<\/guess>/gi)].at(-1)?.[1].toLowerCase();
}

export type Mark = "G" | "Y" | "X";

/** A letter is yellow as often as the secret has it beside its greens, from the left. */
export function marksOf(guess: string, secret: string): readonly Mark[] {
  const rest = [...secret].filter((letter, i) => letter !== guess[i]);
  return [...guess].map((letter, i) => {
    if (letter === secret[i]) return "G";
    const at = rest.indexOf(letter);
    if (at < 0) return "X";
    rest.splice(at, 1);
    return "Y";
  });
}
