import type { Environment } from "../environment.ts";
import { pick, random } from "../random.ts";

const words = "amber bridge cedar dune ember fjord grove harbor inlet jetty kelp lagoon".split(" ");

/** One turn: the model writes a text backwards. Worth how much of it is right, and in order. */
export function reverseText(): Environment {
  return {
    start(seed) {
      const next = random(seed);
      const text = Array.from({ length: 3 }, () => pick(words, next)).join(" ");
      const expected = [...text].reverse().join("");
      let reward = 0;
      return {
        tools: [],
        opening: [
          {
            role: "system",
            content: "Reverse the text character by character. Write the result as <reversed>…</reversed>.",
          },
          { role: "user", content: text },
        ],
        answer({ parsed }) {
          const answer = /<reversed>(.*?)<\/reversed>/s.exec(parsed.content)?.[1].trim();
          reward = answer === undefined ? 0 : similarity(answer, expected);
          return null;
        },
        reward: () => reward,
      };
    },
  };
}

/** Twice the longest common subsequence, by both lengths: 1 for equal texts, 0 if they share nothing. */
export function similarity(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  if (left.length + right.length === 0) return 1;
  let row = new Array<number>(right.length + 1).fill(0);
  for (const letter of left) {
    const above = row;
    row = [0];
    for (const [i, other] of right.entries())
      row.push(letter === other ? above[i] + 1 : Math.max(above[i + 1], row[i]));
  }
  return (2 * row[right.length]) / (left.length + right.length);
}
