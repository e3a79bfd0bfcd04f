import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Environment, Episode } from "../../examples/environment.ts";
import { fileEditing, score } from "../../examples/file-editing/environment.ts";
import { fileSystem } from "../../examples/file-editing/fileSystem.ts";
import { tasks } from "../../examples/file-editing/tasks.ts";
import { type Engine, type Played, play } from "../../examples/play.ts";
import { reverseText, similarity } from "../../examples/reverse-text/environment.ts";
import { marksOf, secrets, wordle } from "../../examples/wordle/environment.ts";
import type { Qwen3ConfigInput } from "../../src/index.ts";
import { ids, qwen3, tokenizer } from "../support/qwen3.ts";

type Settings = Omit<Qwen3ConfigInput, "name">;

interface Said {
  readonly content?: string;
  readonly calls?: readonly (readonly [name: string, args: object])[];
}

/** Says what a policy makes of the prompt's text, spelled as Qwen3 does, with a thought before it. */
function scripted(policy: (prompt: string, turn: number) => Said): Engine {
  let turn = 0;
  return {
    async complete(promptIds) {
      const { content = "", calls = [] } = policy(tokenizer.decode(promptIds), turn++);
      const toolCalls = calls.map(([name, args]) => ({ name, argumentsText: JSON.stringify(args), id: undefined }));
      const text = qwen3().grammar.spell({ reasoning: `Turn ${turn}.`, content, toolCalls }, false);
      return { ids: [...ids(text), ...ids("<|im_end|>")] };
    },
  };
}

const playing = (
  episode: Episode,
  session: Engine,
  { unbroken = true, ...settings }: Settings & { unbroken?: boolean } = {},
) =>
  play({
    id: 0,
    seed: 0,
    renderer: qwen3({ thinkingRetention: "all", ...settings }),
    session,
    episode,
    sampling: {},
    maxTokens: 256,
    maxSequenceLength: 8192,
    unbroken,
  });

/** One sequence, in which everything sampled is trained on and nothing else. */
function expectWhole({ rollout }: Played): void {
  expect(rollout.breaks).toEqual([]);
  const [sample, ...others] = rollout.samples();
  expect(others).toEqual([]);
  const trained = sample.tokenIds.filter((_, i) => sample.lossMask[i] === 1);
  expect([...trained]).toEqual(rollout.turns.flatMap(({ completionIds }) => [...completionIds]));
}

const environments: readonly (readonly [string, Environment])[] = [
  ["reverse text", reverseText()],
  ["wordle", wordle()],
  ["file editing", fileEditing()],
];

describe.each(environments)("%s", (_, environment) => {
  test("has the same episode for the same seed, and is worth nothing at first", () =>
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (seed) => {
        const [one, other] = [environment.start(seed), environment.start(seed)];
        expect(one.opening).toEqual(other.opening);
        expect(one.tools).toEqual(other.tools);
        expect(one.reward()).toBe(0);
      }),
    ));

  test("answers whatever a model says, in one sequence, and ends", () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(
          fc.oneof(fc.string(), fc.constantFrom("<think>", "<tool_call>", '{"name": "read_file"', "</tool_call>")),
        ),
        fc.boolean(),
        async (seed, pieces, stops) => {
          const said = [...ids(pieces.join("")), ...(stops ? ids("<|im_end|>") : [])];
          fc.pre(said.length > 0);
          // A stop inside of reasoning is what no bridge can go on from.
          fc.pre(!pieces.includes("<think>") || !stops);
          const played = await playing(environment.start(seed), { complete: async () => ({ ids: said }) });
          expectWhole(played);
          expect(played.rollout.turns.length).toBeLessThanOrEqual(12);
          expect(played.reward).toBeGreaterThanOrEqual(0);
          expect(played.reward).toBeLessThan(1);
        },
      ),
      { numRuns: 30 },
    ));
});

describe("reverse text", () => {
  const answer = (make: (text: string) => string) => {
    const episode = reverseText().start(4);
    const content = make(String(episode.opening[1].content));
    return playing(
      episode,
      scripted(() => ({ content })),
    );
  };
  const reversed = (text: string) => [...text].reverse().join("");

  test("is worth 1 for the right text, less for a part of it, nothing without the tags", async () => {
    const right = await answer((text) => `Here: <reversed>\n${reversed(text)}\n</reversed>`);
    expect(right.reward).toBe(1);
    expect(right.rollout.turns).toHaveLength(1);
    expectWhole(right);
    const part = await answer((text) => `<reversed>${reversed(text).slice(0, 6)}</reversed>`);
    expect(part.reward).toBeGreaterThan(0.3);
    expect(part.reward).toBeLessThan(1);
    expect((await answer(reversed)).reward).toBe(0);
  });

  test("similarity is 1 for equal texts alone, and the same both ways", () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const value = similarity(a, b);
        expect(similarity(b, a)).toBe(value);
        expect(similarity(a, a)).toBe(1);
        expect(value === 1).toBe(a === b);
        expect(value).toBeGreaterThanOrEqual(0);
      }),
    ));
});

describe("wordle", () => {
  const word = fc.array(fc.constantFrom(..."abc"), { minLength: 5, maxLength: 5 }).map((letters) => letters.join(""));
  const countOf = (letter: string, all: string) => [...all].filter((one) => one === letter).length;

  test("a letter is marked as often as both words have it, and green where they agree", () =>
    fc.assert(
      fc.property(word, word, (guess, secret) => {
        const marks = marksOf(guess, secret);
        expect(marks.map((mark) => mark === "G")).toEqual([...guess].map((letter, i) => letter === secret[i]));
        for (const letter of "abc") {
          const marked = [...guess].filter((one, i) => one === letter && marks[i] !== "X").length;
          expect(marked).toBe(Math.min(countOf(letter, guess), countOf(letter, secret)));
        }
      }),
    ));

  test("yellows go from the left", () => {
    expect(marksOf("eerie", "sheep").join("")).toBe("YYXXX");
    expect(marksOf("llama", "piano").join("")).toBe("XXGXX");
  });

  /** Guesses a word that goes with all that was told. */
  function solver(): Engine {
    let candidates = [...secrets];
    let last = "";
    return scripted((prompt) => {
      const told = [...prompt.matchAll(/^[GYX](?: [GYX]){4}$/gm)].at(-1)?.[0];
      if (told !== undefined) candidates = candidates.filter((one) => marksOf(last, one).join(" ") === told);
      last = candidates[0];
      return { content: `Perhaps <guess>zzzzz</guess>? No: <guess>${last.toUpperCase()}</guess>` };
    });
  }
  const won = (seed: number, settings: Parameters<typeof playing>[2] = {}) =>
    playing(wordle({ guesses: secrets.length }).start(seed), solver(), settings);

  test("is won by who listens, in one sequence though the user speaks every turn", async () => {
    const played = await Promise.all(Array.from({ length: 12 }, (_, seed) => won(seed)));
    for (const one of played) {
      expect(one.reward).toBe(1);
      expectWhole(one);
    }
    expect(Math.max(...played.map(({ rollout }) => rollout.turns.length))).toBeGreaterThan(1);
  });

  test("breaks at every turn of the user where the template drops thinking, and says so", async () => {
    const played = await Promise.all(
      Array.from({ length: 12 }, (_, seed) => won(seed, { thinkingRetention: "tool_cycle", unbroken: false })),
    );
    for (const { reward, rollout } of played) {
      expect(reward).toBe(1);
      expect(rollout.breaks.map(({ reason }) => reason)).toEqual(rollout.turns.slice(1).map(() => "new_user_query"));
      expect(rollout.samples()).toHaveLength(rollout.turns.length);
    }
    const seed = played.findIndex(({ rollout }) => rollout.breaks.length > 0);
    await expect(won(seed, { thinkingRetention: "tool_cycle" })).rejects.toThrow(
      /breaks before turn 1 \(new_user_query\)/,
    );
  });

  test("tells what is no guess, and counts it", async () => {
    const { rollout, reward } = await playing(
      wordle({ guesses: 3 }).start(1),
      scripted((_, turn) => ({ content: ["I pass.", "<guess>too long</guess>", "<guess>four</guess>"][turn] })),
    );
    expect(reward).toBe(0);
    const told = rollout.messages.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(told.slice(1)).toEqual(
      [2, 1].map((left) => expect.stringMatching(`That is no guess.*\nGuesses left: ${left}`)),
    );
  });
});

describe("file editing", () => {
  /** What solves each of the tasks. */
  const edits: readonly (readonly (readonly [path: string, old: string, text: string])[])[] = [
    [
      ["src/config.ts", "SECONDS = 10", "SECONDS = 30"],
      ["README.md", "10 seconds", "30 seconds"],
    ],
    [
      ["src/total.ts", "totl", "total"],
      ["src/bill.ts", "{ totl }", "{ total }"],
      ["src/bill.ts", "* totl(", "* total("],
    ],
    [["src/range.ts", "i < to", "i <= to"]],
  ];
  const seedOf = (task: number) => {
    const asks = (seed: number) => fileEditing().start(seed).opening[1].content === tasks[task].instruction;
    return Array.from({ length: 100 }, (_, seed) => seed).findIndex(asks);
  };
  const replace = ([path, old, text]: readonly [string, string, string]) =>
    ["replace_text", { path, old, new: text }] as const;

  test.each(edits.map((steps, task) => [task, steps] as const))("task %i is solved by calls", async (task, steps) => {
    const turns: Said[] = [
      { calls: [["list_files", {}]] },
      {
        content: "I read both.",
        calls: Object.keys(tasks[task].files).map((path) => ["read_file", { path }] as const),
      },
      ...steps.map((step): Said => ({ calls: [replace(step)] })),
      { content: "Done." },
    ];
    const played = await playing(
      fileEditing().start(seedOf(task)),
      scripted((_, turn) => turns[turn]),
    );
    expect(played.reward).toBe(1);
    expect(played.rollout.turns).toHaveLength(turns.length);
    expectWhole(played);
    const results = played.rollout.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results.slice(0, 1)).toEqual([Object.keys(tasks[task].files).join("\n")]);
    expect(results.slice(-steps.length)).toEqual(steps.map(() => "Done."));
  });

  test("a part of a task is worth a part, and other files may not change", () => {
    const worth = (task: number, ...steps: readonly (readonly [string, string, string])[]) => {
      const { files, call } = fileSystem(tasks[task].files);
      for (const step of steps) expect(call(...replace(step))).toBe("Done.");
      return score(tasks[task], files);
    };
    expect(worth(0, edits[0][0])).toBe(0.5);
    expect(worth(1, ...edits[1])).toBe(1);
    expect(worth(1, ...edits[1], ["src/list.ts", "3, 4, 5", "3"])).toBe(0);
    expect(worth(2, ["test/range.ts", "[1, 2, 3]", "[1, 2]"])).toBe(0);
  });

  test("a wrong call is answered in words, and changes nothing", () => {
    const { files, call } = fileSystem({ "a.txt": "one two one" });
    expect(call("list_files", null)).toBe("a.txt");
    expect(call("read_file", { path: "a.txt" })).toBe("one two one");
    for (const [name, args, error] of [
      ["calculator", {}, "no tool calculator"],
      ["toString", {}, "no tool toString"],
      ["read_file", {}, "needs path"],
      ["read_file", 5, "needs path"],
      ["read_file", { path: "b.txt" }, "no file b.txt"],
      ["replace_text", { path: "a.txt", old: "two" }, "needs new"],
      ["replace_text", { path: "a.txt", old: "one", new: "" }, "2 times"],
      ["replace_text", { path: "a.txt", old: "three", new: "" }, "0 times"],
      ["replace_text", { path: "a.txt", old: "", new: "x" }, "0 times"],
    ] as const)
      expect(call(name, args)).toMatch(new RegExp(`^Error: .*${error}`));
    expect(files.get("a.txt")).toBe("one two one");
    expect(call("replace_text", { path: "a.txt", old: "two", new: "$&$'" })).toBe("Done.");
    expect(files.get("a.txt")).toBe("one $&$' one");
  });

  test("a call that cannot be read is told, and a model that only calls is stopped", async () => {
    const broken = ids('<think>\n\n</think>\n\n<tool_call>\n{"name": \n</tool_call><|im_end|>');
    const played = await playing(fileEditing({ turns: 3 }).start(0), { complete: async () => ({ ids: broken }) });
    expect(played.rollout.turns).toHaveLength(3);
    expect(played.rollout.messages.filter(({ role }) => role === "user").at(-1)?.content).toMatch(/could not be read/);
    expectWhole(played);
  });
});
