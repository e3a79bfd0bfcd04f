import { describe, expect, test } from "vitest";
import {
  createRenderer,
  formatReport,
  type IdMismatch,
  type Renderer,
  TitoError,
  type Tokenizer,
  type VerifyReport,
  verifyRenderer,
} from "../../src/index.ts";
import { bareTokenizer, changed, ownTemplate, qwen3Tokenizer } from "./support.ts";

const quiet = { onWarning: () => {} };
const tokenizer = qwen3Tokenizer();
const qwen3 = createRenderer(tokenizer, { name: "qwen3" });

/** Qwen3 against its template with one place changed. */
const against = (from: string, to: string, level: "quick" | "full" = "quick") =>
  verifyRenderer(qwen3, { level, template: changed(ownTemplate, from, to) });

const idMismatches = (report: VerifyReport): IdMismatch[] => report.mismatches.filter((one) => one.kind === "ids");

describe("a renderer that renders as its template does", () => {
  test.each(["quick", "full"] as const)("%s", (level) => {
    const seen: number[] = [];
    const report = verifyRenderer(qwen3, { level, onProgress: ({ done, total }) => seen.push(done / total) });
    expect(report).toMatchObject({ ok: true, renderer: "qwen3", level, skipped: 0, mismatches: [] });
    expect(report.template).toEqual({ names: ["default"], source: "gguf" });
    expect(report.compared).toBe(level === "full" ? 60 : 10);
    expect(seen).toHaveLength(report.compared);
    expect(seen.at(-1)).toBe(1);
    expect(formatReport(report)).toContain("qwen3 renders as");
  });

  test.each([
    { name: "qwen3", enableThinking: false },
    { name: "default", templateKwargs: { enable_thinking: false } },
  ] as const)("its config is the template's variables: $name", (config) => {
    const report = verifyRenderer(createRenderer(tokenizer, config), { level: "full" });
    expect(report).toMatchObject({ ok: true, variables: { enable_thinking: false } });
  });

  test("the default renderer on a template of its own is held against that one", () => {
    const template = "{% for m in messages %}<|im_start|>{{ m.role }}: {{ m.content | trim }}\n{% endfor %}";
    const renderer = createRenderer(tokenizer, { name: "default", template }, quiet);
    expect(verifyRenderer(renderer)).toMatchObject({ ok: true, template: { source: "option" } });
    expect(verifyRenderer(renderer, { template: ownTemplate }).ok).toBe(false);
  });

  test("the default renderer that adapts messages is given what it adapts", () => {
    const template = changed(
      ownTemplate,
      "{%- macro open(role) %}",
      "{%- if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{%- macro open(role) %}",
    );
    const report = verifyRenderer(createRenderer(tokenizer, { name: "default", template, adaptMessages: true }, quiet));
    expect(report).toMatchObject({ ok: true, skipped: 0 });
    const plain = verifyRenderer(createRenderer(tokenizer, { name: "default", template }, quiet));
    expect(plain.ok).toBe(true);
    expect(plain.skipped).toBeGreaterThan(2);
  });

  test("conversations with tools have the template for tools", () => {
    const named = qwen3Tokenizer({
      chatTemplate: {
        default: ownTemplate,
        tool_use: changed(ownTemplate, "{#- The Qwen3", "{#- The same"),
      },
    });
    const report = verifyRenderer(createRenderer(named, { name: "qwen3" }));
    expect(report.template?.names).toEqual(["default", "tool_use"]);
    expect(report.ok).toBe(true);
    const other = { default: ownTemplate, tool_use: changed(ownTemplate, "# Tools", "# Tool") };
    const differing = verifyRenderer(createRenderer(qwen3Tokenizer({ chatTemplate: other }), { name: "qwen3" }));
    expect(differing.mismatches.map(({ probe }) => probe.tools.length > 0)).toEqual([true, true, true, true]);
  });

  test("the same conversations every time", () => {
    const names = () => JSON.stringify(against("'user'", "'usr'", "full").mismatches.map(({ probe }) => probe));
    expect(names()).toBe(names());
  });
});

describe("a renderer that does not", () => {
  test("the first token that differs, with what both sides have there", () => {
    const report = against("open('assistant')", "open('model')");
    expect(report.ok).toBe(false);
    const [first] = idMismatches(report);
    expect(first!.probe.name).toBe("a question, generation prompt");
    expect(first!.context.before.endsWith("<|im_start|>")).toBe(true);
    expect(first!.expected).toMatchObject({ text: "model" });
    expect(first!.actual).toMatchObject({ text: "assistant", origin: "scaffold of no message" });
    expect(first!.expected.origin).toMatch(/^template line \d+, column \d+$/);
  });

  test("it is the first one, in every probe", () => {
    for (const { probe, index, expected, actual } of idMismatches(against("'\\n</think>", "'</think>", "full"))) {
      const { messages, tools, addGenerationPrompt } = probe;
      const ids = qwen3.renderIds(messages, { tools: tools.length > 0 ? tools : null, addGenerationPrompt });
      expect(actual.id).toBe(ids[index] ?? null);
      expect(expected.id).not.toBe(actual.id);
    }
  });

  test("places in messages and tools are paths, with the line that prints them", () => {
    const upper = (from: string, to: string) => idMismatches(against(from, to)).map(({ expected }) => expected.origin);
    expect(upper("message.content or '') ~ close", "message.content | upper) ~ close")[0]).toMatch(
      /^messages\[0\]\.content, printed by template line \d+, column \d+$/,
    );
    expect(upper("function.name ~", "function.name | upper ~")[0]).toMatch(
      /^messages\[\d\]\.tool_calls\[0\]\.function\.name, printed by/,
    );
    expect(upper("(tool | tojson)", "(tool.function | tojson)")[0]).toMatch(/^tools\[0\]\.function, printed by/);
  });

  test("the renderer's place has message, role and kind", () => {
    const origins = idMismatches(against("thought.strip('\\n')", "thought | upper"));
    expect(origins.map(({ actual }) => actual.origin)).toContain("messages[1], assistant, sampled");
    const content = idMismatches(against("message.content or '') ~ close", "message.content | upper) ~ close"));
    expect(content[0]!.actual.origin).toBe("messages[0], user, content");
  });

  test("one side that ends", () => {
    const report = against("{{- open('assistant') }}", "");
    const [first] = idMismatches(report);
    expect(first!.expected).toEqual({ id: null, text: "", origin: "end of the prompt" });
    expect(formatReport(report)).toContain("template: the prompt ends here");
  });

  test("what the template refuses is skipped, with its reason", () => {
    const refusal = "{%- if tools %}{{ raise_exception('no tools, please') }}{% endif %}{%- macro open(role) %}";
    const report = against("{%- macro open(role) %}", refusal, "full");
    expect(report.ok).toBe(true);
    expect(report.skipped).toBe(report.skips.length);
    expect(report.skips.every(({ probe }) => probe.tools.length > 0)).toBe(true);
    expect(report.compared + report.skipped).toBe(60);
    expect(formatReport(report)).toContain("no tools, please");
  });

  test("a template that refuses all proves nothing", () => {
    const report = verifyRenderer(qwen3, { template: "{{ raise_exception('never') }}" });
    expect(report).toMatchObject({ ok: false, compared: 0, skipped: 10, mismatches: [] });
    expect(formatReport(report)).toContain("refuses every conversation");
  });

  test("what the renderer alone refuses is a mismatch of its own kind", () => {
    const refusing: Renderer = {
      ...qwen3,
      renderIds(messages, options) {
        if (options?.tools?.length) throw new TitoError("invalid_tool", "No tools here.");
        return qwen3.renderIds(messages, options);
      },
    };
    const report = verifyRenderer(refusing);
    expect(report.ok).toBe(false);
    expect(report.mismatches.map(({ kind }) => kind)).toEqual(["refused", "refused", "refused", "refused"]);
    expect(report.mismatches[0]).toMatchObject({ error: { code: "invalid_tool", message: "No tools here." } });
    expect(formatReport(report)).toContain("the renderer refuses it: invalid_tool: No tools here.");
  });

  test("a mistake of the renderer's own code is not hidden", () => {
    const broken: Renderer = {
      ...qwen3,
      renderIds() {
        throw new RangeError("broken");
      },
    };
    expect(() => verifyRenderer(broken)).toThrow(RangeError);
  });
});

test("without a template there is nothing to compare", () => {
  const report = verifyRenderer(createRenderer(bareTokenizer(), { name: "qwen3" }));
  expect(report).toMatchObject({ ok: true, template: null, compared: 0, skipped: 0 });
  expect(formatReport(report)).toContain("has no chat template");
});

describe("createRenderer with verify", () => {
  const misspelled = changed(ownTemplate, "# Tools", "# Tool");
  const create = (verify: "off" | "quick" | "full", of: Tokenizer, name: "qwen3" | "default" = "qwen3") =>
    createRenderer(of, { name }, { ...quiet, verify });

  test("an error has the first difference in words and the report", () => {
    const other = qwen3Tokenizer({ chatTemplate: misspelled });
    expect(create("off", other).config.name).toBe("qwen3");
    expect(create("quick", other, "default").config.name).toBe("default");
    try {
      create("quick", other);
      expect.unreachable();
    } catch (error) {
      const { code, message, details } = error as TitoError;
      expect(code).toBe("template_mismatch");
      expect(message).toContain("differs from the template default (option) in 4 of 10");
      expect(message).toContain('" Tool\\n');
      expect(message.match(/at token/g)).toHaveLength(1);
      expect((details.report as VerifyReport).mismatches).toHaveLength(4);
    }
  });

  test("no error where they agree, or where there is no template", () => {
    for (const verify of ["quick", "full"] as const) {
      expect(create(verify, tokenizer).config.name).toBe("qwen3");
      expect(create(verify, bareTokenizer()).config.name).toBe("qwen3");
    }
  });

  test("the same is verified once; another template, config or level is another matter", () => {
    const counted = qwen3Tokenizer({ nameOrPath: "counted" });
    let encodes = 0;
    const encode = counted.encode.bind(counted);
    counted.encode = (...args) => {
      encodes++;
      return encode(...args);
    };
    const cost = (make: () => unknown) => {
      const before = encodes;
      make();
      return encodes - before;
    };
    expect(cost(() => create("quick", counted))).toBeGreaterThan(10);
    expect(cost(() => create("quick", counted))).toBe(0);
    expect(cost(() => create("full", counted))).toBeGreaterThan(60);
    const config = { name: "qwen3", enableThinking: false } as const;
    expect(cost(() => createRenderer(counted, config, { verify: "quick" }))).toBeGreaterThan(10);
    const alike = qwen3Tokenizer({ nameOrPath: "counted", chatTemplate: misspelled });
    expect(() => create("quick", alike)).toThrow(/differs/);
  });

  test("a misspelled level is a mistake", () => {
    expect(() => createRenderer(tokenizer, { name: "qwen3" }, { verify: "Quick" as "quick" })).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
  });
});
