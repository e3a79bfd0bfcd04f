import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { analyzeCommand } from "../../src/cli/analyze/analyzeCommand.ts";
import { debugCommand } from "../../src/cli/analyze/debugCommand.ts";
import { modelFile } from "../support/qwen3.ts";

const folder = mkdtempSync(join(tmpdir(), "tito-analyze-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs a command and gives what it wrote. */
async function run(command: typeof analyzeCommand, args: readonly string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const code = await command(args, {
    write: (text) => out.push(text),
    note: (line) => notes.push(line),
    readStdin: () => "",
    isTty: false,
    colors: false,
  });
  return { code, out: out.join(""), notes, json: () => JSON.parse(out.join("")) };
}

const turns = (assistant: string) =>
  `{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}${assistant}{% else %}{{ m.content }}{% endif %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`;

const tagged = turns(
  `{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}{% for c in m.tool_calls or [] %}<call>{{ c.function.name }}={{ c.function.arguments | tojson }}</call>{% endfor %}`,
);
/** Reverses what is said, which no layout can. */
const reversed = turns("{{ m.content | reverse }}");
const broken = "{% for m in messages %}";

describe("analyze", () => {
  test("one template: findings, and where they come from", async () => {
    const path = file("tagged.jinja", tagged);
    const { code, out } = await run(analyzeCommand, [path]);
    expect(code).toBe(0);
    expect(out).toMatch(/reasoning +<think> … <\/think>/);
    expect(out).toMatch(/calls +<call>NAME={…}<\/call> \(tag_with_json\)/);
    expect(out).toMatch(/R1 +reasoning: content → reasoning/);
    expect(out).toMatch(/"Thought" +messages\[1\]\.reasoning_content 1:\d+/);
    expect(out).toMatch(/"<call>" +template 1:\d+/);
    expect(out).toMatch(/(\d+) of \1 are read as they were said/);
  });

  test("as JSON: llama.cpp's names beside ours, and evidence that adds up", async () => {
    const { json } = await run(analyzeCommand, [file("tagged.jinja", tagged), "--json"]);
    const [{ name, analysis, llama, evidence }] = json().templates;
    expect(name).toBe("tagged.jinja");
    expect(analysis.layout.reasoning).toMatchObject({ open: "<think>", close: "</think>" });
    expect(llama.reasoning).toEqual({ mode: "TAG_BASED", start: "<think>", end: "</think>" });
    expect(llama.tools.format).toMatchObject({
      mode: "TAG_WITH_JSON",
      per_call_start: "<call>",
      per_call_end: "</call>",
    });
    const call = evidence.find(({ comparison }: { comparison: string }) => comparison === "T1");
    expect(call.difference.right).toBe('<call>probe_first={"key_one": "vone"}</call>');
    expect(call.pieces.map(({ text }: { text: string }) => text).join("")).toBe(call.difference.right);
  });

  test("a directory: one line each, and a template that cannot be read does not end it", async () => {
    file("several/a.jinja", tagged);
    file("several/b.jinja", broken);
    file("several/c.jinja", reversed);
    const { code, out } = await run(analyzeCommand, [join(folder, "several")]);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^a\.jinja +(\d+)\/\1 +tag_with_json +<think> … <\/think>/);
    expect(lines[2]).toMatch(/^b\.jinja +– /);
    expect(lines[3]).toMatch(/^c\.jinja .*misread/);
    expect(code).toBe(1);
    const named = await run(analyzeCommand, [join(folder, "several"), "--name", "a.jinja"]);
    expect(named.code).toBe(0);
    await expect(run(analyzeCommand, [join(folder, "several"), "--name", "z"])).rejects.toMatchObject({
      code: "unknown_template",
    });
  });

  test("what is read wrongly is an exit code of 1", async () => {
    expect((await run(analyzeCommand, [file("reversed.jinja", reversed)])).code).toBe(1);
  });

  test("every render and comparison is traced", async () => {
    const { notes, json } = await run(analyzeCommand, [file("tagged.jinja", tagged), "--json", "--trace"]);
    const lines = notes.map((line) => JSON.parse(line));
    expect(lines.filter(({ render }) => render).length).toBeGreaterThan(20);
    const traced = lines.flatMap(({ comparison }) => comparison ?? []);
    expect(traced).toEqual(json().templates[0].evidence);
  });

  test("variables of the template, and a model's own template", async () => {
    const path = file("variable.jinja", tagged.replaceAll("<think>", "<{{ mark | default('think') }}>"));
    const { out } = await run(analyzeCommand, [path, "--kwargs", '{"mark": "muse"}']);
    expect(out).toContain("<muse>");
    await expect(run(analyzeCommand, [path, "--kwargs", "[]"])).rejects.toMatchObject({ code: "usage" });
    const { json } = await run(analyzeCommand, [modelFile, "--json"]);
    expect(json().templates.length).toBeGreaterThan(0);
    await expect(run(analyzeCommand, [])).rejects.toMatchObject({ code: "usage" });
  });
});

describe("debug-template", () => {
  test("conversations, and where two of them part", async () => {
    const { code, out } = await run(debugCommand, [file("tagged.jinja", tagged)]);
    expect(code).toBe(0);
    expect(out).toContain("one_call  a call with one argument\n  │ <|user|>Question<|end|>⏎\n  │ <|assistant|><call>");
    expect(out).toMatch(
      /R1 reasoning\n {2}content {4}.*⟦⟧Answer.*\n {2}reasoning {2}.*⟦<think>Thought<\/think>⟧Answer/,
    );
    expect(out).toMatch(/T5 the argument's value\n.*⟦vone⟧.*\n.*⟦other⟧/);
  });

  test("one conversation alone, and JSON", async () => {
    const path = file("tagged.jinja", tagged);
    const { json } = await run(debugCommand, [path, "--only", "reasoning", "--json"]);
    const { variants, comparisons } = json();
    expect(variants.map(({ name }: { name: string }) => name)).toEqual(["reasoning"]);
    expect(comparisons.map(({ comparison }: { comparison: string }) => comparison)).toEqual(["R1"]);
  });

  test("what a template refuses is said", async () => {
    const strict = `{% for m in messages if m.tool_calls %}{{ raise_exception('no calls') }}{% endfor %}${tagged}`;
    const { code, out } = await run(debugCommand, [file("strict.jinja", strict)]);
    expect(code).toBe(0);
    expect(out).toContain("one_call  a call with one argument\n  refused");
    const nothing = await run(debugCommand, [file("nothing.jinja", "{{ raise_exception('no') }}")]);
    expect(nothing.code).toBe(1);
  });
});
