import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { conform } from "../../src/conform/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { ids, modelFile, qwen3, tokenizer } from "../support/qwen3.ts";

const fixtures = requireFixtures();
const folder = mkdtempSync(join(tmpdir(), "tito-conform-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(fixtures === undefined)("recorded cases, on the embedded model's vocabulary", () => {
  test.each(["golden/renderers/qwen3.jsonl", "golden/renderers/_api.jsonl", "tokenizer/qwen3.jsonl"])(
    "%s",
    async (file) => {
      const [summary] = await conform([join(fixtures ?? "", file)], { tokenizers: { qwen3: modelFile } });
      expect(summary.failures).toEqual([]);
      expect(summary.passed).toBeGreaterThan(80);
      expect(summary.deviating).toBeLessThanOrEqual(0.05 * (summary.passed + summary.deviating));
      const unread = Object.keys(summary.skips).filter(
        (why) => !/^(no base tokenizer|family ".*" is not built|kind )/.test(why),
      );
      expect(unread).toEqual([]);
    },
  );
});

describe("on cases of our own", () => {
  const overlay = {
    base: "qwen3",
    name_or_path: "Qwen/Qwen3-8B",
    eos_token: "<|im_end|>",
    added_tokens: tokenizer.addedTokens.map(({ singleWord, ...token }) => ({ ...token, single_word: singleWord })),
  };
  const rendered = qwen3({ contentSpecials: "template", validate: "template" }).render([
    { role: "user", content: "hi" },
  ]);
  const expect_ = {
    token_ids: Array.from(rendered.tokenIds),
    message_indices: [[0, rendered.tokenIds.length]],
    sampled_mask: "000000",
    is_content: "000100",
    message_roles: ["user"],
    message_tool_names: [null],
  };
  const common = { family: "qwen3", tok: "qwen3", config: { name: "qwen3" } };
  const render = {
    ...common,
    kind: "render",
    messages: [{ role: "user", content: "hi" }],
    tools: null,
    add_generation_prompt: false,
  };

  async function run(cases: readonly object[]) {
    const root = mkdtempSync(join(folder, "fixtures-"));
    execFileSync("mkdir", ["-p", join(root, "golden", "overlays")]);
    writeFileSync(join(root, "golden", "overlays", "qwen3.json"), JSON.stringify(overlay));
    const file = join(root, "cases.jsonl");
    writeFileSync(file, cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const lines: Record<string, unknown>[] = [];
    const [summary] = await conform([file], {
      fixtures: root,
      tokenizers: { qwen3: modelFile },
      onCase: (line) => lines.push(line),
    });
    return { summary, lines, file, root };
  }

  test("right ones pass, and each way of being wrong fails", async () => {
    const wrong = [
      { token_ids: [...expect_.token_ids, 1] },
      {
        message_indices: [
          [-1, 3],
          [0, 3],
        ],
      },
      { sampled_mask: "000100" },
      { is_content: "000000" },
      { message_roles: ["system"] },
      { message_tool_names: ["x"] },
    ];
    const { summary, lines } = await run([
      { ...render, id: "right", expect: expect_ },
      ...wrong.map((change, i) => ({ ...render, id: `wrong ${i}`, expect: { ...expect_, ...change } })),
      { ...render, id: "template first", expect: expect_, template_first: true, template_token_ids: [[1]] },
      { ...render, id: "wants an error", error: { type: "ValueError", message: "" } },
      { ...render, id: "unknown kind", kind: "a kind of tomorrow" },
    ]);
    expect(summary.passed).toBe(1);
    expect(summary.failures.map((one) => one.id)).toEqual([
      ...wrong.map((_, i) => `wrong ${i}`),
      "template first",
      "wants an error",
    ]);
    expect(summary.skipped).toBe(1);
    expect(lines[0]).toMatchObject({ id: "right", kind: "render", outcome: "passed", via: "expect", actual: expect_ });
  });

  test("parse and bridge", async () => {
    const prompt_ids = Array.from(ids("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"));
    const completion_ids = Array.from(
      ids('<think>\na\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {"x": 1.0}}\n</tool_call><|im_end|>'),
    );
    const parse = { ...common, kind: "parse", prompt_ids, completion_ids, tools: null };
    const tool_call = { name: "f", arguments: { x: 1 }, status: "ok", raw: "", token_span: [0, 1], id: null };
    const good = { content: "", reasoning_content: "a", reasoning_complete: true, tool_calls: [tool_call] };
    const extension = Array.from(
      ids("\n<|im_start|>user\n<tool_response>\n5\n</tool_response><|im_end|>\n<|im_start|>assistant\n"),
    );
    const bridge = {
      ...common,
      kind: "bridge",
      prev_prompt_ids: prompt_ids,
      prev_completion_ids: completion_ids,
      new_messages: [{ role: "tool", content: "5" }],
      tools: null,
    };
    const history = prompt_ids.length + completion_ids.length;
    const bridged = {
      token_ids: [...prompt_ids, ...completion_ids, ...extension],
      message_indices: [
        [-1, history + 1],
        [0, extension.length - 4],
        [-1, 3],
      ],
      is_content: "",
    };
    const { summary } = await run([
      { ...parse, id: "parse", expect: good },
      { ...parse, id: "content", expect: { ...good, content: "x" } },
      { ...parse, id: "status", expect: { ...good, tool_calls: [{ ...tool_call, status: "invalid_json" }] } },
      { ...parse, id: "arguments", expect: { ...good, tool_calls: [{ ...tool_call, arguments: { x: 2 } }] } },
      { ...parse, id: "no call", expect: { ...good, tool_calls: [] } },
      { ...bridge, id: "bridge", expect: bridged },
      { ...bridge, id: "bridge ids", expect: { ...bridged, token_ids: [...bridged.token_ids, 1] } },
      { ...bridge, id: "should refuse", expect: null },
    ]);
    expect(summary.failures.map((one) => one.id)).toEqual([
      "content",
      "status",
      "arguments",
      "no call",
      "bridge ids",
      "should refuse",
    ]);
    expect(summary.passed).toBe(2);
  });

  test("the command prints the counts last, and exits with 1 on a failure", async () => {
    const { file, root } = await run([
      { ...render, id: "right", expect: expect_ },
      { ...render, id: "wrong", expect: { ...expect_, token_ids: [1] } },
    ]);
    const bases = mkdtempSync(join(folder, "bases-"));
    execFileSync("ln", ["-s", modelFile, join(bases, "qwen3.gguf")]);
    const emitted = join(folder, "emitted.jsonl");
    const cli = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
    const run_ = (args: string[]) => {
      try {
        return {
          code: 0,
          out: execFileSync(process.execPath, ["--import", "tsx", cli, ...args], { encoding: "utf8", stdio: "pipe" }),
        };
      } catch (error) {
        const failure = error as { status: number; stdout: string; stderr: string };
        return { code: failure.status, out: failure.stdout + failure.stderr };
      }
    };
    const { code, out } = run_(["conform", file, "--fixtures", root, "--tokenizers", bases, "--emit", emitted]);
    expect(code).toBe(1);
    expect(out.trimEnd().split("\n").slice(-2)).toEqual(["0 deviating", "1 passed, 1 failed, 0 skipped"]);
    expect(out).toContain("wrong: token_ids at 0");
    expect(readFileSync(emitted, "utf8").trim().split("\n")).toHaveLength(2);
    expect(run_(["conform", join(folder, "none.jsonl"), "--fixtures", root])).toMatchObject({
      code: 1,
      out: expect.stringContaining("none.jsonl"),
    });
    expect(run_(["conform"]).code).toBe(2);
    expect(run_(["nonsense"]).out).toContain('no command "nonsense"');
  });
});
