import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { modelCommand } from "../../src/cli/model/command.ts";
import { modelInfo } from "../../src/models/index.ts";
import { modelFile } from "../support/qwen3.ts";
import { sentencePieceVocabulary } from "../support/tinyVocabulary.ts";
import { ggufBytes, tinyModelBytes } from "../support/writeGguf.ts";

const folder = mkdtempSync(join(tmpdir(), "tito-info-command-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

async function run(...args: string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const code = await modelCommand(args, {
    write: (text) => out.push(text),
    note: (line) => notes.push(line),
    readStdin: () => "",
    isTty: false,
    colors: false,
  });
  return { code, out: out.join(""), notes: notes.join("\n") };
}

/** A table's rows by their first column. */
const rows = (text: string) =>
  Object.fromEntries(text.split("\n").map((line) => line.trim().split(/ {2,}/) as [string, string]));

describe("tito model info", () => {
  test("--json is what modelInfo says, on one line", async () => {
    const { code, out, notes } = await run("info", modelFile, "--json");
    expect([code, notes, out.indexOf("\n")]).toEqual([0, "", out.length - 1]);
    expect(JSON.parse(out)).toEqual(await modelInfo(modelFile));
  });

  test("a table, for people", async () => {
    const { code, out } = await run("info", modelFile);
    expect(code).toBe(0);
    expect(rows(out)).toMatchObject({
      architecture: "qwen3",
      parameters: "9.97M (9,970,496)",
      "context length": "4,096",
      vocabulary: "gpt2, qwen2, 151,936 tokens",
      bos: "none",
      eos: '"<|im_end|>" (151645)',
      renderer: "qwen3, by its template",
      "tool_use template": "no",
      "chat format": "peg-native",
      tools: "yes",
      supports_tools: "yes",
      supports_typed_content: "no",
    });
  });

  test("a table of what is not said", async () => {
    const { code, out } = await run("info", file("bare.gguf", ggufBytes({})));
    expect(code).toBe(0);
    expect(rows(out)).toMatchObject({ architecture: "not known", vocabulary: "not known", bos: "none", tools: "no" });
    expect(rows(out).renderer).toMatch(/^none: /);
  });

  test("no model is too odd for a table", async () => {
    const vocabulary = sentencePieceVocabulary({ special: ["<\n>"], eos: "<\n>" });
    const { out } = await run("info", file("odd.gguf", tinyModelBytes({ vocabulary, architecture: "llama" })));
    expect(rows(out).eos).toMatch(/^"<\\n>" \(\d+\)$/);
  });

  test.each([
    ["not a GGUF", "hello", "invalid_gguf"],
    ["empty", "", "invalid_gguf"],
    ["cut short", tinyModelBytes({ vocabulary: sentencePieceVocabulary() }).subarray(0, 2000), "invalid_gguf"],
  ])("%s: an error with a code, exit code 1", async (name, bytes, code) => {
    const path = file(`${name}.gguf`, bytes);
    const asJson = await run("info", path, "--json");
    expect(asJson).toMatchObject({ code: 1, notes: "" });
    expect(JSON.parse(asJson.out)).toEqual({ type: "error", code, message: expect.stringContaining(path) });
    expect(await run("info", path)).toMatchObject({ code: 1, out: "", notes: expect.stringContaining(path) });
  });

  test("no file", async () => {
    const { code, out } = await run("info", join(folder, "absent.gguf"), "--json");
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { type: "error", code: "file_not_found", message: expect.any(String) },
    ]);
  });

  test("a hub's model, marked as a hint", async () => {
    const template = "{% for m in messages %}{{ m.content }}{% endfor %}";
    vi.stubGlobal("fetch", async (url: unknown) => {
      expect(String(url)).toContain("/api/models/acme/tiny/revision/v2?expand=gguf");
      return Response.json({ gguf: { chat_template: template, architecture: "llama", total: 999 } });
    });
    try {
      const { code, out } = await run("info", "acme/tiny", "--revision", "v2");
      expect(code).toBe(0);
      expect(rows(out)).toMatchObject({ parameters: "999", vocabulary: "not known", "tool_use template": "not known" });
      expect(out).toContain("before any download");
      expect(JSON.parse((await run("info", "acme/tiny", "--revision", "v2", "--json")).out).heuristic).toBe(true);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("usage", async () => {
    for (const args of [["info"], ["info", "a", "b"], ["infos"], []])
      await expect(run(...args)).rejects.toMatchObject({ code: "usage" });
    await expect(run("info", modelFile, "--jsom")).rejects.toMatchObject({
      code: expect.stringContaining("PARSE_ARGS"),
    });
    for (const args of [["--help"], ["info", "--help"]]) {
      const { code, out } = await run(...args);
      expect([code, out]).toEqual([0, expect.stringContaining("tito model")]);
    }
  });
});
