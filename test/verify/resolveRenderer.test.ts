import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createRenderer, registerFamily, resolveRenderer, type Tokenizer } from "../../src/index.ts";
import { qwen3 } from "../../src/renderers/qwen3.ts";
import type { TitoWarning } from "../../src/warnings.ts";
import { bareTokenizer, changed, ownTemplate, qwen3Tokenizer } from "./support.ts";

const identify = { name: "auto", identify: true } as const;
const fineTune = qwen3Tokenizer({ nameOrPath: "someone/fine-tune" });
const withTemplate = (chatTemplate: string): Tokenizer =>
  qwen3Tokenizer({ nameOrPath: "someone/fine-tune", chatTemplate });

/** What is created, and what it warns of. */
function created(...[tokenizer, config, options]: Parameters<typeof createRenderer>) {
  const warnings: TitoWarning[] = [];
  const renderer = createRenderer(tokenizer, config, { ...options, onWarning: (warning) => warnings.push(warning) });
  return { config: renderer.config, warnings };
}

describe("a fine-tune with its base model's template", () => {
  test("has that model's family, by what the template writes and not by its text", () => {
    const resolution = resolveRenderer(fineTune, identify);
    expect(resolution).toMatchObject({ by: "identified", config: { name: "qwen3", enableThinking: true } });
    expect(resolution.identical).toEqual({
      family: "qwen3",
      config: { name: "qwen3" },
      sameVariables: ["enable_thinking"],
      otherVariables: [],
    });
    expect(resolution.candidates).toContain(resolution.identical);
  });

  test("is created with it, and says so", () => {
    const { config, warnings } = created(fineTune, identify);
    expect(config.name).toBe("qwen3");
    expect(warnings.map(({ code }) => code)).toEqual(["family_identified"]);
    expect(warnings[0]!.message).toContain('{"name":"qwen3"}');
    expect(warnings[0]!.details).toMatchObject({ match: { family: "qwen3" } });
  });

  test("is rendered by its template if nobody asks, and nothing is said", () => {
    const { config, warnings } = created(fineTune);
    expect(config.name).toBe("default");
    expect(warnings).toEqual([]);
    expect(resolveRenderer(fineTune)).toMatchObject({
      by: "default",
      config: { name: "default" },
      identical: { family: "qwen3" },
    });
  });

  test("shared options and template variables go to the family", () => {
    const { config } = created(
      fineTune,
      { ...identify, thinkingRetention: "all", contentSpecials: "template" },
      { chatTemplateKwargs: { enable_thinking: false } },
    );
    expect(config).toMatchObject({
      name: "qwen3",
      thinkingRetention: "all",
      contentSpecials: "template",
      enableThinking: false,
    });
  });

  test("the renderer that is identified passes verification", () => {
    expect(created(fineTune, identify, { verify: "full" }).config.name).toBe("qwen3");
  });
});

describe("a template with one change", () => {
  test.each([
    ["'<tool_call>\\n{", "'<tool_call>\\n {"],
    ["# Tools", "# Tool"],
    ["'\\n</think>\\n\\n'", "'\\n</think>\\n'"],
    ["~ '\\n' }}{%- endmacro %}", "~ ' \\n' }}{%- endmacro %}"],
    ["{{- message.content }}", "{{- message.content | trim }}\n{{- '!' }}"],
    ["thought or loop.last", "loop.last"],
  ])("in what it writes has no family: %s", (from, to) => {
    const tokenizer = withTemplate(changed(ownTemplate, from, to));
    expect(resolveRenderer(tokenizer, identify)).toMatchObject({ by: "default", identical: null, candidates: [] });
    expect(created(tokenizer, identify)).toMatchObject({ config: { name: "default" }, warnings: [] });
  });

  test("in what it does not write has its family", () => {
    const tokenizer = withTemplate(`{# another comment #}${changed(ownTemplate, "{%- set state", "{%- set state ")}`);
    expect(resolveRenderer(tokenizer, identify).by).toBe("identified");
  });

  test("in a default has its family with that default", () => {
    const off = changed(ownTemplate, "enable_thinking is defined and enable_thinking is false", "not enable_thinking");
    const { identical, config } = resolveRenderer(withTemplate(off), identify);
    expect(identical?.config).toEqual({ name: "qwen3", enableThinking: false });
    expect(config).toMatchObject({ name: "qwen3", enableThinking: false });
  });

  test("in what a variable does has its family among the candidates alone", () => {
    const deaf = changed(ownTemplate, "enable_thinking is defined and enable_thinking is false", "false");
    const resolution = resolveRenderer(withTemplate(deaf), identify);
    expect(resolution).toMatchObject({ by: "default", identical: null, config: { name: "default" } });
    expect(resolution.candidates).toMatchObject([{ family: "qwen3", otherVariables: ["enable_thinking"] }]);
  });
});

describe("what needs no identification", () => {
  test("a config", () => {
    const config = { name: "qwen3", enableThinking: false } as const;
    expect(resolveRenderer(fineTune, config)).toMatchObject({ by: "config", config, identical: { family: "qwen3" } });
    expect(resolveRenderer(fineTune, { name: "default" })).toMatchObject({ by: "config", config: { name: "default" } });
  });

  test("a model's exact name, whatever its template is", () => {
    const known = qwen3Tokenizer({ nameOrPath: "Qwen/Qwen3-8B", chatTemplate: "{{ messages[0].content }}" });
    expect(resolveRenderer(known, identify)).toMatchObject({ by: "model", config: { name: "qwen3" }, identical: null });
    expect(created(known, identify).warnings).toEqual([]);
  });
});

describe("nothing to identify by", () => {
  test.each([
    ["a template that refuses most", withTemplate("{{ raise_exception('no') if tools or messages | length > 1 }}x")],
    ["a template that is wrong", withTemplate("{% for")],
    ["no template", bareTokenizer({ nameOrPath: "someone/base" })],
  ])("%s", (_, tokenizer) => {
    expect(resolveRenderer(tokenizer, identify)).toMatchObject({ by: "default", identical: null, candidates: [] });
  });
});

describe("a family of a user's own", () => {
  let forget = () => {};
  afterEach(() => forget());

  test("is a candidate as long as it is known, with the field that makes it the template's", () => {
    const tokenizer = withTemplate(changed(ownTemplate, "# Tools", "# TOOLS"));
    expect(resolveRenderer(tokenizer).candidates).toEqual([]);
    const name = "loud";
    const family: typeof qwen3 = {
      ...qwen3,
      config: {
        ...qwen3.config,
        name,
        schema: z.object({ ...qwen3.config.schema.shape, name: z.literal(name), loud: z.boolean().default(false) }),
      },
      bind(bound, config) {
        const format = qwen3.bind(bound, config);
        if (!("loud" in config) || !config.loud) return format;
        return {
          ...format,
          writeOpening(out, conversation, context) {
            const from = out.spans.length;
            format.writeOpening(out, conversation, context);
            out.spans.splice(
              from,
              out.spans.length,
              ...out.spans
                .slice(from)
                .map((span) => ("text" in span ? { ...span, text: span.text.replace("# Tools", "# TOOLS") } : span)),
            );
          },
        };
      },
    };
    forget = registerFamily(family);
    expect(resolveRenderer(tokenizer, identify)).toMatchObject({
      by: "identified",
      identical: { family: name, config: { name, loud: true } },
    });
    forget();
    expect(resolveRenderer(tokenizer).candidates).toEqual([]);
  });
});
