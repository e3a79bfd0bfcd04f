import { Template } from "@huggingface/jinja";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseTemplate } from "./chooseTemplate.ts";
import { FALLBACK_TEMPLATE } from "./fallbackTemplate.ts";
import { fillTemplates, isOpen, noTemplates, optionTemplates, templatesFrom } from "./layers.ts";
import { readSpecialTokens } from "./specialTokens.ts";
import { readTemplateField } from "./templateField.ts";

const names = fc.constantFrom("default", "tool_use", "rag", "__proto__", "constructor", "0", "é");
const texts = fc.dictionary(names, fc.string(), { noNullPrototype: true });
const layers = fc.array(
  fc.record({ source: fc.constantFrom("option", "gguf", "chat_template.jinja", "tokenizer_config.json"), texts }),
);

const refusal = (code: string, details: object) =>
  expect.objectContaining({ name: "TitoError", code, details: expect.objectContaining(details) });

describe("a chat_template field", () => {
  test("is read alike as a list, an object and a map", () => {
    fc.assert(
      fc.property(texts, (value) => {
        const entries = Object.entries(value);
        const list = entries.map(([name, template]) => ({ name, template }));
        for (const spelled of [value, list, new Map(entries)]) {
          expect(readTemplateField(spelled, "x")).toEqual(new Map(entries));
        }
      }),
    );
  });

  test("that is a text is the default one, whatever is in it", () => {
    expect(readTemplateField("", "x")).toEqual(new Map([["default", ""]]));
    expect(readTemplateField("\ufeff{{ x }}\r\n", "x").get("default")).toBe("\ufeff{{ x }}\r\n");
    expect([readTemplateField(null, "x"), readTemplateField(undefined, "x")]).toEqual([new Map(), new Map()]);
  });

  test("has the last text of a name that comes twice", () => {
    const list = ["a", "b"].map((template) => ({ name: "rag", template }));
    expect(readTemplateField(list, "x").get("rag")).toBe("b");
  });

  test.each([
    [7, "x"],
    [true, "x"],
    [[{ name: "default", template: "a" }, null], "x[1].name"],
    [["{{ x }}"], "x[0].name"],
    [[{ template: "a" }], "x[0].name"],
    [[{ name: "default" }], "x[0].template"],
    [[{ name: "default", template: null }], "x[0].template"],
    [{ default: "a", rag: 1 }, "x.rag"],
    [{ default: null }, "x.default"],
    [new Map<unknown, unknown>([[1, "a"]]), "x"],
  ])("of a wrong type is refused by place (%#)", (value, field) => {
    expect(() => readTemplateField(value, "x")).toThrow(refusal("tokenizer_invalid", { field }));
  });
});

describe("layers of templates", () => {
  test("the first source stands for all, unless it lacks a default", () => {
    fc.assert(
      fc.property(layers, (all) => {
        const parts = all.map(({ source, texts: each }) => ({ source, templates: new Map(Object.entries(each)) }));
        const known = parts.reduce(
          (templates, { source, templates: each }) =>
            isOpen(templates) ? fillTemplates(templates, templatesFrom(source, each)) : templates,
          noTemplates,
        );
        expect([...known.templateSources.keys()]).toEqual([...known.chatTemplates.keys()]);
        const last = parts.findIndex(({ templates }) => templates.has("default"));
        const heard = last < 0 ? parts : parts.slice(0, last + 1);
        for (const [name, text] of known.chatTemplates) {
          const first = heard.find(({ templates }) => templates.has(name));
          expect([text, known.templateSources.get(name)]).toEqual([first?.templates.get(name), first?.source]);
        }
        expect(new Set(known.chatTemplates.keys())).toEqual(
          new Set(heard.flatMap((each) => [...each.templates.keys()])),
        );
      }),
    );
  });

  test("options are the source, unless they say where their templates are from", () => {
    const option = { chatTemplate: { default: "a", rag: "b" }, templateSources: new Map([["rag", "gguf"]] as const) };
    expect([...optionTemplates(option).templateSources]).toEqual([
      ["default", "option"],
      ["rag", "gguf"],
    ]);
    expect(() => optionTemplates({ chatTemplate: 1 as unknown as string })).toThrow(
      refusal("tokenizer_invalid", { field: "chatTemplate" }),
    );
  });
});

describe("the choice of a template", () => {
  const all = templatesFrom(
    "gguf",
    new Map([...["default", "tool_use", "rag"].map((name) => [name, `of ${name}`] as const)]),
  );
  const chosen = (name: string) => ({ name, text: `of ${name}`, source: "gguf" });

  test("is the one named, else tool_use with tools, else the default", () => {
    expect(chooseTemplate(all, { tools: false })).toEqual(chosen("default"));
    expect(chooseTemplate(all, { tools: true })).toEqual(chosen("tool_use"));
    for (const tools of [false, true]) expect(chooseTemplate(all, { tools, name: "rag" })).toEqual(chosen("rag"));
    expect(chooseTemplate(all, { tools: true, name: "default" })).toEqual(chosen("default"));
    const single = templatesFrom("option", new Map([["default", ""]]));
    expect(chooseTemplate(single, { tools: true })).toEqual({ name: "default", text: "", source: "option" });
  });

  test("refuses a name that is not there, and several templates without a default", () => {
    for (const name of ["tool", "", "__proto__"]) {
      expect(() => chooseTemplate(all, { tools: false, name })).toThrow(
        refusal("unknown_template", { name, names: ["default", "tool_use", "rag"] }),
      );
    }
    expect(() => chooseTemplate(noTemplates, { tools: false, name: "rag" })).toThrow(
      refusal("unknown_template", { names: [] }),
    );
    const named = templatesFrom("gguf", new Map([["tool_use", "a"]]));
    expect(() => chooseTemplate(named, { tools: false })).toThrow(refusal("template_missing", { names: ["tool_use"] }));
    expect(chooseTemplate(named, { tools: true }).text).toBe("a");
  });

  test("is plain ChatML where there is none", () => {
    for (const tools of [false, true]) {
      expect(chooseTemplate(noTemplates, { tools })).toEqual({
        name: "default",
        text: FALLBACK_TEMPLATE,
        source: "fallback",
      });
    }
  });
});

describe("the fallback", () => {
  const template = new Template(FALLBACK_TEMPLATE);
  const turn = (role: string, content: string) => `<|im_start|>${role}\n${content}<|im_end|>\n`;

  test("writes every message to the letter", () => {
    const message = fc.record({ role: fc.constantFrom("system", "user", "assistant", "tool"), content: fc.string() });
    fc.assert(
      fc.property(fc.array(message), fc.boolean(), (messages, add_generation_prompt) => {
        const expected = messages.map(({ role, content }) => turn(role, content)).join("");
        const prompt = add_generation_prompt ? "<|im_start|>assistant\n" : "";
        expect(template.render({ messages, add_generation_prompt })).toBe(expected + prompt);
      }),
    );
  });

  test("joins the text parts of a content, and none is none", () => {
    const parts = [{ type: "text", text: " a\n" }, { type: "image" }, { type: "text", text: "b" }];
    const messages = [{ role: "user", content: parts }, { role: "assistant", content: null }, { role: "assistant" }];
    expect(template.render({ messages })).toBe(turn("user", " a\nb") + turn("assistant", "") + turn("assistant", ""));
  });
});

describe("special tokens of a config", () => {
  test("are texts or objects, by their variables, the common ones first", () => {
    const config = {
      image_token: "<image>",
      pad_token: { __type: "AddedToken", content: "<pad>", lstrip: false },
      eos_token: "</s>",
      bos_token: null,
      unk_token: { id: 0 },
      add_bos_token: true,
      model_max_length: 1,
      additional_special_tokens: ["<x>"],
      extra_special_tokens: { boi_token: "<boi>" },
    };
    expect([...readSpecialTokens(config)]).toEqual([
      ["eos_token", "</s>"],
      ["pad_token", "<pad>"],
      ["image_token", "<image>"],
      ["boi_token", "<boi>"],
    ]);
    expect(readSpecialTokens({ extra_special_tokens: ["<x>"] })).toEqual(new Map());
  });
});
