import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { calculator } from "../../examples/calculator/environment.ts";
import { accountByRendering } from "../../examples/calculator/rerender.ts";
import { Rollout, type Turn } from "../../src/index.ts";
import { call, ids, qwen3, tokenizer } from "../support/qwen3.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tito-example-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, args: readonly string[]): { code: number; out: string } {
  try {
    const out = execFileSync(process.execPath, ["--import", "tsx", script, ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    return { code: 0, out };
  } catch (error) {
    const failure = error as { status: number; stdout: string; stderr: string };
    return { code: failure.status, out: failure.stdout + failure.stderr };
  }
}

const main = (...args: string[]) => run("examples/calculator/main.ts", args);

interface Line {
  id: number;
  seed: number;
  reward: number;
  turns: { prompt_ids: number[]; completion_ids: number[]; logprobs: number[]; finish: string }[];
  messages: { role: string }[];
  samples: { token_ids: number[]; loss_mask: number[]; logprobs: number[] }[];
  breaks: { turn: number; reason: string }[];
}

const lines = (file: string): Line[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

describe("the main job", () => {
  const file = join(folder, "out.jsonl");
  let played: ReturnType<typeof main>;
  beforeAll(() => {
    played = main("--rollouts", "3", "--seed", "7", "--json", file);
  });

  test("plays, and ends with a row per client path", () => {
    expect(played.code).toBe(0);
    expect(played.out).toMatch(/client path +rollouts +turns +tokens +tool calls +reward +breaks +training samples/);
    expect(played.out).toMatch(/bridgeToNextTurn +3 .* 0 +3 /);
    expect(played.out).toMatch(/chat template every turn +3 /);
  });

  test("each rollout is one unbroken sequence of what was prompted and sampled", () => {
    for (const { turns, samples, breaks, reward } of lines(file)) {
      expect(breaks).toEqual([]);
      expect(samples).toHaveLength(1);
      expect(reward).toBeGreaterThanOrEqual(0);
      turns.slice(1).forEach((turn, i) => {
        const past = [...turns[i].prompt_ids, ...turns[i].completion_ids];
        expect(turn.prompt_ids.slice(0, past.length)).toEqual(past);
      });
      const last = turns[turns.length - 1];
      const [sample] = samples;
      expect(sample.token_ids).toEqual([...last.prompt_ids, ...last.completion_ids]);
      expect(sample.loss_mask).toHaveLength(sample.token_ids.length);
      const trained = sample.token_ids.filter((_, i) => sample.loss_mask[i] === 1);
      expect(trained).toEqual(turns.flatMap((turn) => turn.completion_ids));
      expect(sample.logprobs.filter((_, i) => sample.loss_mask[i] === 1)).toEqual(
        turns.flatMap((turn) => turn.logprobs),
      );
      expect(sample.logprobs.every((logprob) => logprob <= 0)).toBe(true);
    }
  });

  test("the model plays well", () => {
    const rewards = lines(file).map((line) => line.reward);
    expect(rewards.reduce((a, b) => a + b, 0) / rewards.length).toBeGreaterThan(0.8);
  });

  test("the same seed plays the same rollouts, however many run side by side", () => {
    const again = join(folder, "again.jsonl");
    expect(main("--rollouts", "3", "--seed", "7", "--concurrency", "1", "--json", again).code).toBe(0);
    expect(lines(again).map((line) => line.turns.map((turn) => turn.completion_ids))).toEqual(
      lines(file).map((line) => line.turns.map((turn) => turn.completion_ids)),
    );
  });

  test("says what is wrong", () => {
    expect(main("--help")).toMatchObject({ code: 0, out: expect.stringContaining("--rollouts") });
    expect(main("--rollouts", "none")).toMatchObject({ code: 1, out: expect.stringContaining('not "none"') });
    expect(main("--nonsense").code).toBe(1);
    expect(main("--model", join(folder, "none.gguf"))).toMatchObject({
      code: 1,
      out: expect.stringContaining("none.gguf"),
    });
    writeFileSync(join(folder, "wrong.gguf"), "this is no model");
    expect(main("--model", join(folder, "wrong.gguf"))).toMatchObject({ code: 1, out: expect.stringMatching(/GGUF/) });
  });
});

test("the README's loop runs as printed", () => {
  const [, code] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(40);
  const script = join(root, ".readme-loop.mjs");
  writeFileSync(script, code);
  try {
    const { code: exit, out } = run(script, []);
    expect(out).toMatch(/The answer is 42\./);
    expect(exit).toBe(0);
  } finally {
    rmSync(script);
  }
});

describe("the environment", () => {
  const answered = (text: string): Turn => {
    const rollout = new Rollout({ renderer: qwen3(), messages: [{ role: "user", content: "x" }] });
    return rollout.addCompletion({ ids: ids(`<think>\n\n</think>\n\n${text}<|im_end|>`) });
  };

  test("the same seed asks the same, another one does not", () => {
    const opening = (seed: number) => JSON.stringify(calculator().start(seed).opening);
    expect(opening(3)).toBe(opening(3));
    expect(new Set(Array.from({ length: 20 }, (_, seed) => opening(seed))).size).toBeGreaterThan(15);
  });

  test("tools answer in JSON, booleans too; nonsense gets words", () => {
    const answer = (name: string, args: string) =>
      calculator()
        .start(1)
        .answer(answered(call(name, args)))?.[0].content;
    expect(answer("calculator", '{"expression": "12 * -3"}')).toBe("-36");
    expect(answer("compare", '{"left": 5, "right": 3}')).toBe("true");
    expect(answer("compare", '{"left": 3, "right": 3}')).toBe("false");
    expect(answer("calculator", '{"expression": "process.exit()"}')).toMatch(/^Error/);
    expect(answer("nonsense", "{}")).toMatch(/^Error/);
  });

  test("each right answer is worth its share, and a model that only calls is stopped", () => {
    const episode = calculator({ questions: 2 }).start(5);
    expect(episode.reward()).toBe(0);
    expect(episode.answer(answered("no idea"))).toHaveLength(1);
    expect(episode.answer(answered("no idea"))).toBeNull();
    expect(episode.reward()).toBe(0);
    const endless = calculator({ questions: 1 }).start(5);
    const calls = Array.from({ length: 20 }, () =>
      endless.answer(answered(call("compare", '{"left": 1, "right": 2}'))),
    );
    expect(calls).toContain(null);
  });
});

test("accounting the usual way counts a dropped thought as a break", () => {
  const rollout = new Rollout({
    renderer: qwen3({ thinkingRetention: "all" }),
    messages: [{ role: "user", content: "x" }],
  });
  rollout.addCompletion({ ids: ids("<think>\nhm\n</think>\n\ny<|im_end|>") });
  rollout.addMessages([{ role: "user", content: "z" }]);
  rollout.addCompletion({ ids: ids("<think>\nhm\n</think>\n\ny<|im_end|>") });
  const account = accountByRendering(rollout, tokenizer, tokenizer.chatTemplate ?? "");
  expect(account).toMatchObject({ breaks: 1, samples: 2 });
  expect(account.trained).toBeGreaterThan(rollout.samples()[0].tokenIds.length);
});
