import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { templateCommand } from "../../src/cli/template/command.ts";
import { createRenderer, loadTokenizer } from "../../src/index.ts";
import { compileTemplate } from "../../src/template/index.ts";
import { modelFile } from "../support/qwen3.ts";
import { toyJson } from "../tokenizer/toy.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tito-template-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | object): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

interface Given {
  readonly stdin?: string;
  readonly isTty?: boolean;
  readonly colors?: boolean;
}

/** Runs the command and gives what it wrote. */
async function run(args: readonly string[], { stdin = "", isTty = false, colors = false }: Given = {}) {
  const out: string[] = [];
  const notes: string[] = [];
  const io = { write: (text: string) => out.push(text), note: (line: string) => notes.push(line), isTty, colors };
  const code = await templateCommand(args, { ...io, readStdin: () => stdin });
  const text = out.join("");
  return { code, out: text, notes: notes.join("\n"), json: () => JSON.parse(text) };
}

const refusal = (code: string) => expect.objectContaining({ name: "TitoError", code });

const tags =
  "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}" +
  "{% if tools %}[{{ tools | length }}]{% endif %}{% if add_generation_prompt %}<assistant>{% endif %}";
const plain = file("plain.jinja", tags);
const hi = file("hi.json", [{ role: "user", content: "hi" }]);

/** A model of single bytes with two templates. */
const toy = join(folder, "toy");
file("toy/tokenizer.json", toyJson({ added: ["<s>", "</s>"] }));
file("toy/tokenizer_config.json", {
  bos_token: "<s>",
  eos_token: "</s>",
  chat_template: [
    { name: "default", template: tags },
    { name: "tool_use", template: `tools:${tags}` },
  ],
});

/** Qwen3's template on single bytes, which load fast. */
const own = readFileSync(join(root, "embedded-model", "chat_template.jinja"), "utf8");
const bytes = join(folder, "bytes");
file("bytes/tokenizer.json", toyJson({ added: ["<|im_start|>", "<|im_end|>"] }));
file("bytes/tokenizer_config.json", { eos_token: "<|im_end|>" });
file("bytes/chat_template.jinja", own);

const messages = fc.array(
  fc.record({ role: fc.constantFrom("system", "user", "assistant"), content: fc.string({ unit: "grapheme" }) }),
  { minLength: 1 },
);

describe("tito template render", () => {
  test("prints what the template gives and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(messages, fc.boolean(), async (conversation, prompt) => {
        const flag = prompt ? "--generation-prompt" : "--no-generation-prompt";
        const stdin = JSON.stringify(conversation);
        const { code, out, notes } = await run(["render", toy, "--messages", "-", flag], { stdin });
        const context = { messages: conversation, bos_token: "<s>", add_generation_prompt: prompt };
        expect({ code, out, notes }).toEqual({ code: 0, out: compileTemplate(tags).render(context), notes: "" });
      }),
      { numRuns: 40 },
    );
  });

  test("gives pieces that are the text, and the renderer's ids", async () => {
    const renderer = createRenderer(await loadTokenizer(bytes), { name: "default", validate: "template" });
    await fc.assert(
      fc.asyncProperty(messages, async (conversation) => {
        const args = ["render", bytes, "--messages", "-", "--spans", "--ids", "--no-generation-prompt", "--json"];
        const result = await run(args, { stdin: JSON.stringify({ messages: conversation }) });
        const { text, pieces, ids, template } = result.json();
        expect(template).toEqual({ name: "default", source: "chat_template.jinja" });
        expect(pieces.map((piece: { text: string }) => piece.text).join("")).toBe(text);
        const { tokenIds, sampledMask, contentMask, messageIndices } = renderer.render(conversation);
        expect(ids.map(({ id }: { id: number }) => id)).toEqual([...tokenIds]);
        const marks = ids.map((one: Record<string, unknown>) => [one.sampled, one.content, one.message]);
        expect(marks).toEqual(Array.from(tokenIds, (_, i) => [!!sampledMask[i], !!contentMask[i], messageIndices[i]]));
      }),
      { numRuns: 30 },
    );
  });

  test("no messages make it throw, and what fails is said without a stack", async () => {
    const anything = fc.oneof(fc.string(), fc.jsonValue());
    const message = fc.record(
      {
        role: fc.oneof({ arbitrary: fc.constantFrom("system", "user", "assistant", "tool"), weight: 9 }, anything),
        content: fc.oneof({ arbitrary: fc.string(), weight: 3 }, anything),
        tool_calls: fc.oneof(
          fc.array(fc.record({ function: fc.record({ name: anything, arguments: anything }) })),
          anything,
        ),
        reasoning_content: anything,
      },
      { requiredKeys: ["role"] },
    );
    const codes = new Set<number>();
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(message).map((list) => JSON.stringify(list)),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (stdin) => {
        const { code, notes } = await run(["render", bytes, "--messages", "-", "--spans", "--ids"], { stdin });
        expect([0, 1]).toContain(code);
        codes.add(code);
        if (code === 1) expect(notes).not.toBe("");
        expect(notes).not.toMatch(/^ +at /m);
      }),
      { numRuns: 200 },
    );
    expect(codes).toEqual(new Set([0, 1]));
  });

  test("a terminal gets a line's end, a pipe does not", async () => {
    const args = ["render", plain, "--messages", hi];
    expect((await run(args)).out).toBe("<user>hi<assistant>");
    expect((await run(args, { isTty: true })).out).toBe("<user>hi<assistant>\n");
  });

  test("opens the assistant's turn unless it has spoken, or as it is told", async () => {
    const conversation = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "yes" },
    ];
    const stdin = JSON.stringify(conversation);
    const args = ["render", plain, "--messages", "-"];
    expect((await run(args, { stdin })).out).toBe("<user>hi<assistant>yes");
    expect((await run([...args, "--generation-prompt"], { stdin })).out).toBe("<user>hi<assistant>yes<assistant>");
    const request = JSON.stringify({ messages: conversation, add_generation_prompt: true });
    expect((await run(args, { stdin: request })).out).toBe("<user>hi<assistant>yes<assistant>");
    expect((await run([...args, "--no-generation-prompt"], { stdin: request })).out).toBe("<user>hi<assistant>yes");
    expect((await run(["render", plain, "--messages", hi, "--no-generation-prompt"])).out).toBe("<user>hi");
  });

  test("leaves the last message open", async () => {
    const path = file("closing.jinja", "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}");
    const stdin = JSON.stringify([{ role: "assistant", content: "I am" }]);
    const args = ["render", path, "--messages", "-", "--continue-final-message"];
    expect((await run(args, { stdin })).out).toBe("<assistant>I am");
    expect((await run(["render", path, "--messages", hi, "--continue-final-message"])).code).toBe(1);
    await expect(run([...args, "--generation-prompt"], { stdin })).rejects.toEqual(refusal("usage"));
  });

  test("keeps numbers and the order of keys, in messages, tools and variables", async () => {
    const path = file("json.jinja", "{{ messages[0].tool_calls | tojson }}{{ tools | tojson }}{{ x | tojson }}");
    const call = '{"function": {"name": "f", "arguments": {"2": 1.0, "1": 12345678901234567890}}}';
    const stdin = `{"messages": [{"role": "assistant", "content": "", "tool_calls": [${call}]}]}`;
    const tools = file("tools.json", '[{"name": "f", "parameters": {"b": 1.50, "10": 0, "9": 1e3}}]');
    const args = ["render", path, "--messages", "-", "--tools", tools, "--kwargs", '{"x": {"7": 1.0, "3": []}}'];
    const { out } = await run(args, { stdin });
    expect(out).toBe(`[${call}][{"name": "f", "parameters": {"b": 1.5, "10": 0, "9": 1000.0}}]{"7": 1.0, "3": []}`);
  });

  test("variables of the command line win over the request's", async () => {
    const path = file("kwargs.jinja", "{{ a }}{{ b }}");
    const stdin = '{"messages": [{"role": "user", "content": ""}], "chat_template_kwargs": {"a": 1, "b": 2}}';
    expect((await run(["render", path, "--messages", "-", "--kwargs", '{"b": 3}'], { stdin })).out).toBe("13");
    await expect(run(["render", path, "--kwargs", '{"tools": []}'])).rejects.toEqual(refusal("usage"));
    await expect(run(["render", path, "--kwargs", "[1]"])).rejects.toEqual(refusal("usage"));
    await expect(run(["render", path, "--kwargs", "{"])).rejects.toEqual(refusal("usage"));
  });

  test("chooses the template by tools or by name", async () => {
    const tools = file("one.json", { tools: [{ type: "function", function: { name: "f" } }] });
    const args = ["render", toy, "--messages", hi];
    expect((await run([...args, "--tools", tools])).out).toBe("tools:<s><user>hi[1]<assistant>");
    expect((await run([...args, "--name", "tool_use"])).out).toBe("tools:<s><user>hi<assistant>");
    const missing = await run([...args, "--name", "rag"]);
    expect(missing).toMatchObject({ code: 1, notes: expect.stringContaining("default, tool_use") });
  });

  test("shows a sample of what the template supports", async () => {
    const { out } = await run(["render", modelFile]);
    expect(out).toContain('{"name": "get_weather", "arguments": {"city": "Paris"}}');
    expect(out.endsWith("<|im_start|>assistant\n")).toBe(true);
    const strict = file(
      "strict.jinja",
      `{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}${tags}`,
    );
    expect((await run(["render", strict])).out).toBe(
      "<user>You are a helpful assistant.\n\nWhat is the weather in Paris?<assistant>",
    );
  });

  test("adapts messages and says how", async () => {
    const parts = file(
      "parts.jinja",
      "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}",
    );
    const { out, notes } = await run(["render", parts, "--messages", hi, "--adapt"]);
    expect({ out, notes }).toEqual({
      out: "hi",
      notes:
        "adapted: messages[0].content: a string became a list of one text part, because the template reads only lists",
    });
    const { json } = await run(["render", parts, "--messages", hi, "--adapt", "--spans", "--json"]);
    expect(json().changes).toHaveLength(1);
    expect(json().pieces[0].origin).toBe("messages[0].content[0].text");
  });

  test("numbers pieces by the messages that were passed", async () => {
    const path = file(
      "folds.jinja",
      `{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}${tags}`,
    );
    const stdin = JSON.stringify([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ]);
    const { json } = await run(["render", path, "--messages", "-", "--adapt", "--spans", "--json"], { stdin });
    expect(json().pieces.map((piece: { message: number }) => piece.message)).toContain(1);
    expect(json().pieces.map((piece: { origin: string }) => piece.origin)).toContain("messages[1].content");
  });

  test("lets a template append where that is asked for", async () => {
    const appends = file("appends.jinja", "{% set l = [] %}{% set _ = l.append('x') %}{{ l[0] }}");
    expect((await run(["render", appends, "--mutable"])).out).toBe("x");
    await expect(run(["render", appends])).resolves.toMatchObject({ code: 1 });
  });

  test("prints a given time", async () => {
    const path = file("now.jinja", "{{ strftime_now('%Y-%m-%d %H:%M') }}");
    expect((await run(["render", path, "--now", "2026-07-01"])).out).toBe("2026-07-01 00:00");
    expect((await run(["render", path, "--now", "2026-07-01T12:30:00"])).out).toBe("2026-07-01 12:30");
    await expect(run(["render", path, "--now", "soon"])).rejects.toEqual(refusal("usage"));
    const both = await run(["render", path, "--tokenizer", toy, "--ids", "--json", "--now", "2026-07-01T12:30:00"]);
    const { text, ids } = JSON.parse(both.out);
    expect(text).toBe("2026-07-01 12:30");
    expect(ids.map((token: { text: string }) => token.text).join("")).toBe(text);
  });

  test("shows pieces and ids as tables, in colours where there are any", async () => {
    const args = ["render", toy, "--messages", hi, "--spans", "--ids", "--no-generation-prompt"];
    const { out } = await run(args);
    expect(out).toBe(
      [
        "message  origin               template  text",
        '-        bos_token            1:1       "<s>"',
        '0 user   template             1:39      "<"',
        '0 user   messages[0].role     1:40      "user"',
        '0 user   template             1:52      ">"',
        '0 user   messages[0].content  1:53      "hi"',
        "",
        "index  id   message  mark     text",
        '0      256  -        -        "<s>"',
        '1      60   0 user   -        "<"',
        '2      117  0 user   -        "u"',
        '3      115  0 user   -        "s"',
        '4      101  0 user   -        "e"',
        '5      114  0 user   -        "r"',
        '6      62   0 user   -        ">"',
        '7      104  0 user   content  "h"',
        '8      105  0 user   content  "i"',
        "",
      ].join("\n"),
    );
    const colored = await run(args, { colors: true });
    expect(colored.out).toContain('\u001b[32m"hi"\u001b[0m');
    expect(colored.out.replace(/\u001b\[\d+m/g, "")).toBe(out);
  });

  test("bytes of a character that is spread over tokens are shown as bytes", async () => {
    const stdin = JSON.stringify([{ role: "user", content: "é" }]);
    const args = ["render", toy, "--messages", "-", "--ids"];
    expect((await run(args, { stdin })).out).toContain("<c3>");
    const { ids } = (await run([...args, "--json"], { stdin })).json();
    expect(ids.filter((one: { text: string | null }) => one.text === null)).toMatchObject([
      { bytes: "c3" },
      { bytes: "a9" },
    ]);
  });

  test("takes the tokenizer beside a template, or another one", async () => {
    const beside = file("toy/other.jinja", "{% for m in messages %}{{ eos_token }}{{ m.content }}</s>{% endfor %}");
    const args = ["--messages", hi, "--ids", "--json"];
    expect((await run(["render", beside, ...args])).json().ids.map(({ id }: { id: number }) => id)).toEqual([
      257, 104, 105, 257,
    ]);
    const other = await run(["render", plain, "--tokenizer", toy, ...args]);
    expect(other.json()).toMatchObject({ text: "<s><user>hi<assistant>", template: { source: "file" } });
    expect(await run(["render", plain, ...args.slice(0, 3)])).toMatchObject({
      code: 1,
      notes: expect.stringContaining("--tokenizer"),
    });
  });

  test("says where ChatML stands for a template, and where tools are not written", async () => {
    file("bare/tokenizer.json", toyJson({}));
    const { out, notes } = await run(["render", join(folder, "bare"), "--messages", hi]);
    expect(out).toBe("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
    expect(notes).toContain("ChatML");
    const deaf = file("deaf.jinja", "{{ messages[-1].content }}");
    const tools = file("f.json", [{ name: "f" }]);
    expect((await run(["render", deaf, "--tools", tools])).notes).toContain("does not write the tools");
  });
});

describe("what is wrong is shown with its place", () => {
  test.each([
    ["{% if x %}\n{{ messages[0].content + 1 }}{% endif %}", "template_error", 2, 4, "messages[0].content + 1"],
    ["a\n b {{ raise_exception('no') }}", "template_raised", 2, 7, "raise_exception('no')"],
  ])("by a template at work: %j", async (text, code, line, column, expression) => {
    const path = file("wrong.jinja", text);
    const args = ["render", path, "--messages", hi, "--kwargs", '{"x": 1}'];
    const { code: exit, out, notes } = await run(args);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    const shown = notes.split("\n");
    expect(shown.at(-2)).toBe(`${line} | ${text.split("\n")[line - 1]}`);
    expect(shown.at(-1)).toBe(`${" ".repeat(3 + column)}^${"~".repeat(expression.length - 1)}`);
    const { error } = (await run([...args, "--json"])).json();
    expect(error).toMatchObject({ code, line, column, expression, template: "default", source: "file" });
  });

  test("by a template that does not compile, in each command", async () => {
    const path = file("syntax.jinja", "fine\n{% for m messages %}");
    for (const command of ["render", "caps", "verify"]) {
      const { code, out, notes } = await run([command, path]);
      expect(code).toBe(1);
      expect(`${out}${notes}`).toMatch(/line 2, column 10.*\n\ndefault \(file\):\n2 \| {% for m messages %}\n {13}\^/);
    }
  });

  test("by JSON that is none", async () => {
    const path = file("broken.json", '[\n  {"role": "user",}\n]');
    expect(await run(["render", plain, "--messages", path])).toMatchObject({
      code: 1,
      notes: expect.stringMatching(
        /broken\.json is no JSON at line 2, column 19: .*\n2 \| {3}{"role": "user",}\n {22}\^$/,
      ),
    });
  });

  test.each([
    [["render", join(folder, "nothing")], "There is nothing at"],
    [["render", plain, "--messages", join(folder, "nothing")], "There is no file"],
    [["render", plain, "--messages", folder], "cannot be read"],
    [["render", plain, "--messages", file("number.json", "7")], "expected a list of messages"],
    [["render", plain, "--messages", file("noRole.json", '[{"content": "x"}]')], "messages[0].role"],
    [["render", plain, "--messages", hi, "--tools", file("noTools.json", "7")], "tools"],
    [["caps", join(folder, "bare")], "no chat template"],
    [["caps", plain, "--name", "rag"], "There are default"],
  ])("by files that are not what they should be: %j", async (args, said) => {
    const { code, out, notes } = await run(args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(notes).toContain(said);
    const { error } = (await run([...args, "--json"])).json();
    expect(error.message).toContain(said);
  });

  test.each([
    [[]],
    [["draw"]],
    [["toString"]],
    [["render"]],
    [["caps", plain, plain]],
    [["render", plain, "--generation-prompt", "--no-generation-prompt"]],
    [["verify", modelFile, "--family", "qwen"]],
  ])("by its usage: %j", async (args) => {
    await expect(run(args)).rejects.toEqual(refusal("usage"));
  });

  test("help is there for each command", async () => {
    for (const args of [["--help"], ["render", "-h"], ["caps", "--help"], ["verify", "--help"]]) {
      const { code, out } = await run(args);
      expect(code).toBe(0);
      expect(out.startsWith(`tito template ${args.length > 1 ? args[0] : "COMMAND"}`)).toBe(true);
    }
  });
});

describe("tito template caps", () => {
  test("has a column for each template", async () => {
    const { out, code } = await run(["caps", toy]);
    expect(code).toBe(0);
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual(["default", "tool_use"]);
    expect(rows).toContainEqual(["supportsSystemRole", "yes", "yes"]);
    expect(rows).toContainEqual(["supportsToolCalls", "no", "no"]);
    expect(rows).toHaveLength(12);
  });

  test("names capabilities in both ways as JSON", async () => {
    const { templates } = (await run(["caps", toy, "--name", "tool_use", "--json"])).json();
    expect(templates).toMatchObject([
      {
        name: "tool_use",
        source: "tokenizer_config.json",
        capabilities: { supportsStringContent: true, supportsTypedContent: false },
        caps: { supports_string_content: true, supports_typed_content: false },
      },
    ]);
  });

  test("a template that is wrong does not hide the others", async () => {
    const config = { chat_template: { default: "{{ messages[0].content }}", rag: "{{ x" } };
    const path = file("half/tokenizer_config.json", config);
    const { code, out } = await run(["caps", path]);
    expect(code).toBe(1);
    expect(out).toContain("supportsStringContent");
    expect(out).toContain("rag (tokenizer_config.json):\n1 | {{ x\n");
    expect((await run(["caps", path, "--name", "default"])).code).toBe(0);
    const { templates } = (await run(["caps", path, "--json"])).json();
    expect(templates[1]).toMatchObject({ name: "rag", error: { code: "template_syntax", line: 1 } });
  });
});

describe("tito template verify", () => {
  test("finds the family that renders as the template does", async () => {
    const { code, out } = await run(["verify", modelFile]);
    expect(code).toBe(0);
    expect(out).toMatch(/^identical +qwen3\b/m);
    const { json } = await run(["verify", modelFile, "--json"]);
    expect(json()).toMatchObject({
      by: "default",
      renderer: "qwen3",
      identical: { family: "qwen3" },
      report: { ok: true },
    });
  });

  test("compares a family that is asked for, and shows where it differs", async () => {
    expect((await run(["verify", modelFile, "--family", "qwen3"])).code).toBe(0);
    const { code, out } = await run(["verify", modelFile, "--family", "qwen3.5"]);
    expect(code).toBe(1);
    expect(out).toMatch(/qwen3\.5, as asked for/);
    expect(out).toMatch(/at token \d+/);
    const { json } = await run(["verify", modelFile, "--family", "qwen3.5", "--json"]);
    expect(json()).toMatchObject({ by: "config", report: { ok: false } });
  });

  test("a template with one changed character is nobody's, and the default renderer runs it", async () => {
    const same = file("same.jinja", own);
    const changed = file("changed.jinja", own.replace("# Tools", "# Tool"));
    expect((await run(["verify", same, "--tokenizer", modelFile, "--json"])).json()).toMatchObject({
      identical: { family: "qwen3" },
    });
    const { code, json } = await run(["verify", changed, "--tokenizer", modelFile, "--json"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ by: "default", renderer: "default", identical: null, report: { ok: true } });
    expect((await run(["verify", changed, "--tokenizer", modelFile, "--family", "qwen3"])).code).toBe(1);
  });

  test("compiles a file by itself", async () => {
    const { code, out, notes } = await run(["verify", plain]);
    expect(code).toBe(0);
    expect(out).toContain("supportsSystemRole");
    expect(notes).toContain("it compiles");
    const mute = file("mute.jinja", "{{ raise_exception('never') }}");
    expect((await run(["verify", mute])).notes).toContain("refuses every conversation");
    expect((await run(["verify", plain, "--json"])).json().templates).toHaveLength(1);
  });
});

test("the command line runs it, with its exit codes", () => {
  const tito = (...args: string[]) => {
    const main = ["--import", "tsx", "src/cli/main.ts", "template", ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, main, { cwd: root, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  expect(tito("render", plain, "--messages", hi)).toEqual({ status: 0, stdout: "<user>hi<assistant>", stderr: "" });
  const missing = tito("render", join(folder, "nothing"));
  expect(missing).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^There is nothing at .*\n$/) });
  expect(tito("caps", plain, "--what")).toMatchObject({ status: 2, stdout: "" });
});
