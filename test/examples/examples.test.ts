/*
 * Every example runs here on the embedded model, in this process. What is checked are facts of what it did; what the model makes of
 * a game that it does not know is its own affair.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { calculator } from "../../examples/calculator/environment.ts";
import { main as fileEditing } from "../../examples/file-editing/main.ts";
import { onlyTimes, main as ownGrammar } from "../../examples/own-grammar/main.ts";
import type { Played } from "../../examples/play.ts";
import { playEpisodes } from "../../examples/playEpisodes.ts";
import { main as reverseText } from "../../examples/reverse-text/main.ts";
import { main as sessions } from "../../examples/sessions/main.ts";
import { main as statelessServer } from "../../examples/stateless-server/main.ts";
import { chatServer } from "../../examples/stateless-server/server.ts";
import { main as streaming } from "../../examples/streaming/main.ts";
import { main as wordle } from "../../examples/wordle/main.ts";
import { matches, parseGbnf } from "../../src/gbnf/index.ts";
import { tokenizer } from "../support/qwen3.ts";

const root = new URL("../../", import.meta.url);

/** What an example prints, line by line. */
function printer() {
  const lines: string[] = [];
  return { lines, print: (text: string) => void lines.push(...text.split("\n")) };
}

const startsWith = (ids: Int32Array, past: readonly number[]): boolean => past.every((id, i) => ids[i] === id);

function expectWhole({ rollout, reward }: Played): void {
  expect(reward).toBeGreaterThanOrEqual(0);
  expect(reward).toBeLessThanOrEqual(1);
  expect(rollout.breaks).toEqual([]);
  const [sample, ...others] = rollout.samples();
  expect(others).toEqual([]);
  const trained = sample.tokenIds.filter((_, i) => sample.lossMask[i] === 1);
  expect([...trained]).toEqual(rollout.turns.flatMap(({ completionIds }) => [...completionIds]));
  expect(sample.logprobs.every((logprob) => logprob <= 0)).toBe(true);
}

describe("environments", () => {
  const limits = { maxTokens: 96, maxSequenceLength: 1024 };

  test("the calculator, the game that the model knows", async () => {
    const { lines, print } = printer();
    const played = await playEpisodes(calculator(), limits, { episodes: 2, print });
    played.forEach(expectWhole);
    expect(played.reduce((sum, { reward }) => sum + reward, 0)).toBeGreaterThan(0);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^episode +reward +turns +tokens +tool calls +samples +breaks$/);
    expect(lines[1]).toMatch(/^0 +[01]\.\d\d( +\d+){3} +1 +0$/);
  });

  test("reverse-text", async () => {
    const played = await reverseText({ episodes: 2, print: () => {} });
    played.forEach(expectWhole);
    expect(played.map(({ rollout }) => rollout.turns.length)).toEqual([1, 1]);
  });

  test("wordle", async () => {
    const { lines, print } = printer();
    const { whole, broken } = await wordle({ episodes: 2, print });
    whole.forEach(expectWhole);
    expect(whole.every(({ rollout }) => rollout.turns.length > 1)).toBe(true);
    for (const { rollout } of broken) {
      // Where the model has not thought, the render may be what was sampled.
      expect(rollout.breaks.length).toBeGreaterThan(0);
      expect(rollout.samples()).toHaveLength(rollout.breaks.length + 1);
    }
    expect(lines.at(-1)).toMatch(/^new_user_query: /);
  });

  test("file-editing", async () => {
    const played = await fileEditing({ episodes: 2, print: () => {} });
    played.forEach(expectWhole);
    for (const { rollout } of played) {
      const calls = rollout.messages.flatMap(({ tool_calls }) => tool_calls ?? []);
      const unknown = calls.map((call) => `Error: there is no tool ${call.function?.name}.`);
      expect(rollout.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []))).toEqual(unknown);
    }
  });
});

test("streaming: what is printed as it comes is what is read of the whole", async () => {
  let written = "";
  const rollout = await streaming({
    write: (text) => {
      written += text;
    },
  });
  const calls = rollout.turns.flatMap(({ parsed }) => parsed.toolCalls);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.every(({ status }) => status === "ok")).toBe(true);
  for (const { argumentsText } of calls) expect(written).toContain(argumentsText);
  for (const { message } of rollout.turns) expect(written).toContain(String(message.content));
  expect(rollout.breaks).toEqual([]);
  // Names, keys and braces are taken greedily, the expression's text is not.
  const { greedyMask, lossMask } = rollout.samples()[0];
  const greedy = greedyMask?.reduce((sum, one) => sum + one, 0) ?? 0;
  expect(greedy).toBeGreaterThan(0);
  expect(greedy).toBeLessThan(lossMask.reduce((sum, one) => sum + one, 0));
});

describe("stateless-server", () => {
  test("each prompt begins with all that was prompted and sampled; without the store it does not", async () => {
    const { lines, print } = printer();
    const { served, messages } = await statelessServer({ print });
    expect(served.length).toBeGreaterThan(1);
    for (const [i, { promptIds }] of served.slice(1).entries())
      expect(startsWith(promptIds, [...served[i].promptIds, ...served[i].completionIds])).toBe(true);
    expect(served.every(({ unbroken }) => unbroken)).toBe(true);
    expect(served.slice(1).some(({ unbrokenWithoutReplay }) => unbrokenWithoutReplay)).toBe(false);
    const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(calls.length).toBeGreaterThan(0);
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(served.length);
    for (const { function: call } of calls)
      expect(call?.arguments).toBe(JSON.stringify(JSON.parse(String(call?.arguments))));
    expect(lines.filter((line) => line.includes("all that came before: true"))).toHaveLength(served.length - 1);
  });

  test("a request that is none is refused with a code", async () => {
    const server = chatServer({} as Parameters<typeof chatServer>[0]).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const codeOf = async (path: string, init: RequestInit) => {
      const response = await fetch(url + path, init);
      const { error } = (await response.json()) as { error: { code: string } };
      return [response.status, error.code];
    };
    try {
      expect(await codeOf("/v1/models", {})).toEqual([404, "not_found"]);
      expect(await codeOf("/v1/chat/completions", { method: "POST", body: "{" })).toEqual([400, "invalid_json"]);
      expect(await codeOf("/v1/chat/completions", { method: "POST", body: "[]" })).toEqual([400, "invalid_request"]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

test("sessions: what was evaluated once is not evaluated again", async () => {
  const { print } = printer();
  const { prefix, prompt, group, turns, ids } = await sessions({ members: 3, print });
  expect(prefix.evaluatedTokens).toBe(prefix.length);
  expect(group.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
  for (const { index, evaluatedTokens } of group)
    expect(evaluatedTokens).toBe(index === 0 ? prompt.length - prefix.length : 1);
  expect(turns.length).toBeGreaterThan(1);
  expect([...turns[0].promptIds]).toEqual([...prompt]);
  for (const [i, { promptIds, evaluatedTokens }] of turns.slice(1).entries()) {
    const past = [...turns[i].promptIds, ...turns[i].completionIds];
    expect(startsWith(promptIds, past)).toBe(true);
    // The last sampled id had nothing behind it, and is evaluated with what is new.
    expect(evaluatedTokens).toBe(promptIds.length - past.length + 1);
  }
  const last = turns[turns.length - 1];
  expect([...ids]).toEqual([...last.promptIds, ...last.completionIds]);
});

test("own-grammar: the text is the grammar's, from the first id on or from the trigger on", async () => {
  const { fromTheFirst, lazy } = await ownGrammar({ print: () => {} });
  expect(fromTheFirst.completion.grammar).toBe("complete");
  expect(fromTheFirst.text).toMatch(/^\{"larger": (true|false)\}<\|im_end\|>$/);
  expect(lazy.completion.grammar).toBe("complete");
  const [thought, call] = lazy.text.split(/(?=<tool_call>)/);
  expect(thought).toMatch(/\S/);
  expect(matches(parseGbnf(onlyTimes.gbnf ?? ""), call.replace("<|im_end|>", ""))).toBe(true);
  expect(lazy.parsed.toolCalls).toMatchObject([{ status: "ok", name: "calculator" }]);
  const markers = ["<tool_call>", "</tool_call>"].map((text) => tokenizer.tokenToId(text));
  expect([...lazy.completion.ids].filter((id) => markers.includes(id))).toEqual(markers);
});

describe("as commands", () => {
  const folders = readdirSync(new URL("examples", root), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const mains = folders.filter((name) => readdirSync(new URL(`examples/${name}`, root)).includes("main.ts"));

  test("each says how it is run, and the list of them has it", () => {
    const list = readFileSync(new URL("docs/examples.md", root), "utf8");
    for (const name of folders) expect(list).toContain(`examples/${name}`);
    // The main job prints its own usage.
    for (const name of mains.filter((one) => one !== "calculator"))
      expect(readFileSync(new URL(`examples/${name}/main.ts`, root), "utf8")).toMatch(
        new RegExp(`^/\\*[^]*npx tsx examples/${name}/main\\.ts[^]*\\*/`),
      );
  });

  test("one of them runs", () => {
    const out = execFileSync(process.execPath, ["--import", "tsx", "examples/reverse-text/main.ts"], {
      cwd: fileURLToPath(root),
      encoding: "utf8",
    });
    expect(out).toMatch(/^episode +reward/);
    expect(out.trim().split("\n")).toHaveLength(4);
  });
});
