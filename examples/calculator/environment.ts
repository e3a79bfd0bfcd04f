import { readFileSync } from "node:fs";
import type { ToolSpec } from "tito-rl";
import type { Environment, Episode } from "../environment.ts";
import { random } from "../random.ts";

/** The game's data, shared with the script that trains the embedded model. */
interface Game {
  readonly tools: readonly ToolSpec[];
  readonly systemPrompts: readonly { readonly text: string | null; readonly heldOut?: boolean }[];
  readonly operators: readonly {
    readonly symbol: string;
    readonly infix: readonly string[];
    readonly then: readonly string[];
  }[];
  readonly operands: { readonly min: number; readonly max: number };
  readonly questions: Readonly<Record<string, readonly Phrasing[]>>;
}

interface Phrasing {
  readonly text: string;
  readonly heldOut?: boolean;
}

interface Question {
  readonly text: string;
  /** Holds in the right answer. */
  readonly expected: RegExp;
}

const game = JSON.parse(readFileSync(new URL("game.json", import.meta.url), "utf8")) as Game;

/** What the model may call. */
export const calculatorTools = game.tools;

const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
};

export interface CalculatorOptions {
  /** User questions in an episode. Default 2. */
  readonly questions?: number;
  /** Ask in phrasings that the embedded model was not trained on. Default false. */
  readonly heldOut?: boolean;
}

/** Questions of arithmetic, to be answered with a calculator and a comparison; each is worth its share of 1. */
export function calculator(options: CalculatorOptions = {}): Environment {
  return { start: (seed) => episode(random(seed), options) };
}

function episode(next: () => number, { questions: count = 2, heldOut = false }: CalculatorOptions): Episode {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)];
  const system = pick(
    game.systemPrompts.filter((prompt) => Boolean(prompt.heldOut) === heldOut || prompt.text === null),
  ).text;
  const questions = Array.from({ length: count }, () => ask(next, pick, heldOut));
  let asked = 1;
  let right = 0;
  let calls = 0;
  return {
    tools: game.tools,
    opening: [
      ...(system === null ? [] : [{ role: "system", content: system }]),
      { role: "user", content: questions[0].text },
    ],
    answer({ message, parsed }) {
      if (message.tool_calls?.length) {
        // A model that calls for ever is stopped.
        if (++calls > 4 * count) return null;
        return message.tool_calls.map((call) => ({
          role: "tool",
          tool_call_id: call.id ?? "",
          content: runTool(call.function),
        }));
      }
      if (questions[asked - 1].expected.test(parsed.content)) right++;
      if (parsed.stop.kind === "none" || asked === count) return null;
      return [{ role: "user", content: questions[asked++].text }];
    },
    reward: () => right / count,
  };
}

function ask(next: () => number, pick: <Item>(items: readonly Item[]) => Item, heldOut: boolean): Question {
  const operand = () => Math.floor(next() * 10 ** (1 + Math.floor(next() * 3)));
  const kind = pick(Object.keys(game.questions));
  const phrasing = pick(game.questions[kind].filter((one) => Boolean(one.heldOut) === heldOut)).text;
  const [first, second] = [pick(game.operators), pick(game.operators)];
  const [a, b, c] = [operand(), operand(), operand()];
  const once = operators[first.symbol](a, b);
  const left = kind === "compare" ? a : once;
  const text = phrasing
    .replace("{a}", String(a))
    .replace("{op}", pick([first.symbol, ...first.infix]))
    .replace("{b}", String(b))
    .replace("{then}", pick(second.then).replace("{c}", String(c)))
    .replace("{left}", String(a))
    .replace("{right}", String(c));
  if (kind.toLowerCase().includes("compare")) return { text, expected: left > c ? /^Yes\b/ : /^No\b/ };
  const result = kind === "calculateTwice" ? operators[second.symbol](once, c) : once;
  return { text, expected: new RegExp(`(?<![\\d-])${result}(?!\\d)`) };
}

/** What the tool says, as JSON text: a number, a boolean, or an error in words. */
export function runTool(call: { readonly name: string; readonly arguments: unknown } | undefined): string {
  const args = JSON.parse(String(call?.arguments ?? "{}")) as Record<string, unknown>;
  if (call?.name === "compare") return JSON.stringify(Number(args.left) > Number(args.right));
  const match = /^\s*(-?\d+)\s*([-+*])\s*(-?\d+)\s*$/.exec(String(args.expression));
  if (call?.name !== "calculator" || !match) return "Error: the calculator takes two whole numbers and one of + - *.";
  return JSON.stringify(operators[match[2]](Number(match[1]), Number(match[3])));
}
