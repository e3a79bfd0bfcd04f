import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildTrainingSample,
  createRenderer,
  type ErrorCode,
  type Message,
  type RenderedTokens,
  TitoError,
  type ToolSpec,
} from "../../src/index.ts";
import { texts } from "../../src/testing/index.ts";
import type { TitoWarning } from "../../src/warnings.ts";
import { drawn, type ShapeRendererOptions, shapeRenderer, shapes, shapeTokenizer } from "../support/chatTemplates.ts";

type ShapeName = keyof typeof shapes;

const names = Object.keys(shapes) as ShapeName[];
const system: Message = { role: "system", content: "Be kind." };
const user: Message = { role: "user", content: "Hi" };
const hello: Message = { role: "assistant", content: "Hello" };
const bye: Message = { role: "user", content: "Bye" };
const calling: Message = {
  role: "assistant",
  content: "Wait",
  reasoning_content: "Look",
  tool_calls: [{ id: "a", type: "function", function: { name: "search", arguments: { x: 1 } } }],
};
const result: Message = { role: "tool", tool_call_id: "a", content: "found" };
const tools: readonly ToolSpec[] = [
  { type: "function", function: { name: "search", parameters: { type: "object", properties: {} } } },
];

function thrown(work: () => unknown): TitoError {
  try {
    work();
  } catch (error) {
    if (error instanceof TitoError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function warningsOf(shape: ShapeName, config: ShapeRendererOptions = {}) {
  const warnings: TitoWarning[] = [];
  const renderer = shapeRenderer(shapes[shape], { ...config, onWarning: (warning) => warnings.push(warning) });
  return { renderer, codes: () => warnings.map((warning) => warning.code), warnings };
}

/** The tokens of a column's rows as text. */
function textWhere({ tokenizer }: { tokenizer: { decode(ids: Int32Array): string } }, rendered: RenderedTokens) {
  return (keep: (index: number) => boolean) => tokenizer.decode(rendered.tokenIds.filter((_, index) => keep(index)));
}

describe("what holds of every template", () => {
  const words = texts().map((one) => one.trim());
  const says = (role: string) => words.map((content): Message => ({ role, content }));
  const conversation = fc.array(fc.tuple(says("user"), says("assistant")), { minLength: 1, maxLength: 3 });

  test.each(names)("%s: ids are the text's, what it samples are the assistant's words and its turn's end", (name) => {
    const renderer = shapeRenderer(shapes[name]);
    const { tokenizer } = renderer;
    const template = shapeRenderer(shapes[name], { contentSpecials: "template" });
    fc.assert(
      fc.property(conversation, fc.boolean(), (turns, addGenerationPrompt) => {
        const messages = turns.flat();
        const rendered = renderer.render(messages, { addGenerationPrompt });
        expect(rendered.tokenIds).toEqual(template.renderIds(messages, { addGenerationPrompt }));
        expect(rendered.tokenIds).toEqual(tokenizer.encode(tokenizer.decode(rendered.tokenIds)));
        const text = textWhere(renderer, rendered);
        messages.forEach(({ role, content }, message) => {
          const sampled = text((i) => rendered.messageIndices[i] === message && rendered.sampledMask[i] === 1);
          if (role === "user") expect(sampled).toBe("");
          // A merge at the seam may put the first or last letters beside it into a token of the scaffold.
          else expect(sampled).toContain(tokenizer.normalize(String(content)).trim().slice(4, -4));
        });
        if (!addGenerationPrompt) return;
        const plain = renderer.render(messages);
        const prompt = text((i) => i >= rendered.messageIndices.lastIndexOf(messages.length - 1) + 1);
        expect(tokenizer.decode(rendered.tokenIds).endsWith(prompt)).toBe(true);
        expect(rendered.sampledMask.lastIndexOf(1)).toBe(plain.sampledMask.lastIndexOf(1));
      }),
      { numRuns: 20 },
    );
  });
});

describe("columns", () => {
  test("ChatML: every turn is its message's, the line behind the end is not sampled", () => {
    expect(drawn(shapeRenderer(shapes.chatml), [system, user, hello], { addGenerationPrompt: true })).toEqual([
      "0 <|im_start|>system\n",
      "0c Be kind.",
      "0 <|im_end|>\n",
      "1 <|im_start|>user\n",
      "1c Hi",
      "1 <|im_end|>\n",
      "2 <|im_start|>assistant\n",
      "2sc Hello<|im_end|>",
      "2 \n",
      "-1 <|im_start|>assistant\n",
    ]);
  });

  test("a loop over indices, a system message and tools ahead of it, calls by a macro", () => {
    const lines = drawn(shapeRenderer(shapes.thinking), [system, user, calling, result, hello], { tools });
    expect(lines).toEqual([
      "0 <|im_start|>system\n",
      "0c Be kind.\n",
      expect.stringMatching(/^0 # Tools\n\{"type": "function".*\}\n<\|im_end\|>\n$/),
      "1 <|im_start|>user\n",
      "1c Hi",
      "1 <|im_end|>\n",
      "2 <|im_start|>assistant\n<think>\n",
      '2sc Look\n</think>\n\nWait\n<tool_call>\n{"name": "search", "arguments": {"x": 1}}\n</tool_call><|im_end|>',
      "2 \n",
      "3 <|im_start|>user\n<tool_response>\n",
      "3c found",
      "3 \n</tool_response><|im_end|>\n",
      "4 <|im_start|>assistant\n<think>\n\n",
      "4sc </think>\n\nHello<|im_end|>",
      "4 \n",
    ]);
  });

  test("tools ahead without a system message are nobody's", () => {
    const [first] = drawn(shapeRenderer(shapes.thinking), [user], { tools });
    expect(first).toMatch(/^-1 <\|im_start\|>system\n\n# Tools\n.*<\|im_end\|>\n$/s);
  });

  test("Llama 2: a system message in the first user's turn, no header of the assistant's", () => {
    expect(drawn(shapeRenderer(shapes.llama2), [system, user, hello, bye], { addGenerationPrompt: true })).toEqual([
      "1 <s>[INST] <<SYS>>\n",
      "0c Be kind.\n",
      "1 <</SYS>>\n\n",
      "1c Hi",
      "1  [/INST]",
      "2sc  Hello </s>",
      // A token that begins in scaffold is scaffold: " Bye".
      "3 <s>[INST] Bye [/INST]",
    ]);
  });

  test("GLM: the next turn's marker ends a turn and is sampled; a role is a part of its marker", () => {
    const renderer = shapeRenderer(shapes.glm);
    const { tokenizer } = renderer;
    expect(renderer.stopTokenIds.map((id) => tokenizer.idToToken(id))).toEqual([
      "<|user|>",
      "<|observation|>",
      "<|endoftext|>",
    ]);
    expect(drawn(renderer, [user, hello, bye, calling, result, hello])).toEqual([
      "-1 [gMASK]<sop>",
      "0 <|user|>\n",
      "0c Hi",
      "1 <|assistant|>\n",
      "1sc Hello<|user|>",
      "2 \n",
      "2c Bye",
      "3 <|assistant|>\n",
      "3sc Wait<tool_call>search</tool_call><|observation|>",
      "4 \n",
      "4c found",
      "5 <|assistant|>\n",
      "5sc Hello",
    ]);
  });

  test("gemma: another name of the role, a turn that a macro writes from a set-block", () => {
    expect(drawn(shapeRenderer(shapes.gemma), [user, hello, bye])).toEqual([
      "-1 <bos>",
      "0 <start_of_turn>user\n",
      "0c Hi",
      "0 <end_of_turn>\n",
      "1 <start_of_turn>model\n",
      "1sc Hello<end_of_turn>",
      "1 \n",
      "2 <start_of_turn>user\n",
      "2c Bye",
      "2 <end_of_turn>\n",
    ]);
  });

  test("results that stand inside the assistant's turn are the results', and never sampled", () => {
    const template = `{%- for message in messages %}
{%- if message.role == 'tool' %}{% continue %}{% endif %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- for one in message.tool_calls or [] %}{{ '<tool_call>' + one.function.name + '</tool_call>' }}{% endfor %}
{%- for i in range(loop.index, messages | length) if messages[i].role == 'tool' %}
{{- '[' + messages[i].content + ']' }}
{%- endfor %}
{{- message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;
    const typed = { ...result, content: "fo<|im_end|>und" };
    const lines = drawn(shapeRenderer(shapes.thinking, { template }), [calling, typed]);
    expect(lines).toEqual([
      "0 <|im_start|>assistant\n",
      "0sc <tool_call>search</tool_call>[",
      "1c fo<|im_end|>und",
      "1 ]",
      "0sc Wait<|im_end|>",
      "0 \n",
    ]);
  });

  test("generation prompts that open thinking: what they write is scaffold in every turn", () => {
    const renderer = shapeRenderer(shapes.thinking);
    const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
    const turn = renderer.render([user, hello]);
    expect(renderer.tokenizer.decode(prompt).endsWith("<|im_start|>assistant\n<think>\n")).toBe(true);
    expect(turn.sampledMask.indexOf(1)).toBeGreaterThanOrEqual(prompt.length);
  });
});

test("training samples have the template's ids, and the assistant's turns as the loss mask", () => {
  for (const name of names) {
    const renderer = shapeRenderer(shapes[name]);
    const rendered = renderer.render([user, hello, bye, hello]);
    const sample = buildTrainingSample(renderer, [user, hello, bye, hello]);
    expect(sample.tokenIds).toEqual(rendered.tokenIds);
    expect(sample.lossMask).toEqual(rendered.sampledMask);
    const last = buildTrainingSample(renderer, [user, hello, bye, hello], { messageLossMask: [0, 0, 0, 1] });
    expect(last.lossMask.indexOf(1)).toBeGreaterThan(sample.lossMask.indexOf(1));
    const stopped = buildTrainingSample(renderer, [user, hello], { ensureFinalStop: true });
    expect(renderer.stopTokenIds).toContain(stopped.tokenIds[stopped.lossMask.lastIndexOf(1)]);
  }
});

describe("continueFinalMessage", () => {
  test.each(names)("%s: ends behind the last message's content", (name) => {
    const renderer = shapeRenderer(shapes[name]);
    const open = renderer.renderIds([user, hello], { continueFinalMessage: true });
    const whole = renderer.tokenizer.decode(renderer.renderIds([user, hello]));
    const text = renderer.tokenizer.decode(open);
    expect(text.endsWith("Hello")).toBe(true);
    expect(whole.startsWith(text)).toBe(true);
    expect(renderer.stopTokenIds).not.toContain(open.at(-1));
  });

  test("without content it ends behind the reasoning", () => {
    const renderer = shapeRenderer(shapes.thinking);
    const message: Message = { role: "assistant", content: "", reasoning_content: "Let me" };
    const ids = renderer.renderIds([user, message], { continueFinalMessage: true });
    expect(renderer.tokenizer.decode(ids).endsWith("<think>\nLet me")).toBe(true);
  });

  test.each<[string, Message[], ErrorCode]>([
    ["a user's message", [user], "invalid_message"],
    ["a message with calls", [user, calling], "invalid_message"],
    ["a message that says nothing", [user, { role: "assistant", content: "" }], "invalid_message"],
  ])("refuses %s", (_, messages, code) => {
    const renderer = shapeRenderer(shapes.thinking);
    expect(thrown(() => renderer.render(messages, { continueFinalMessage: true })).code).toBe(code);
  });

  test("refuses a generation prompt beside it", () => {
    const options = { continueFinalMessage: true, addGenerationPrompt: true };
    const error = thrown(() => shapeRenderer(shapes.chatml).render([user, hello], options));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toMatch(/addGenerationPrompt/);
  });
});

describe("which template", () => {
  const named = (text: string) => `{{ '${text}' }}{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}`;
  const tokenizer = shapeTokenizer(shapes.chatml, {
    default: named("A:"),
    tool_use: `${named("T:")}{{ tools | tojson }}`,
    rag: named("R:"),
  });
  const first = (config: object, given: readonly ToolSpec[] | null = null) => {
    const renderer = createRenderer(tokenizer, { name: "default", ...config }, { onWarning: () => {} });
    return tokenizer.decode(renderer.renderIds([user], { tools: given })).slice(0, 2);
  };

  test("the default one; tool_use where there are tools; one by its name; one that is passed", () => {
    expect(first({})).toBe("A:");
    expect(first({}, tools)).toBe("T:");
    expect(first({}, [])).toBe("T:");
    expect(first({ templateName: "rag" }, tools)).toBe("R:");
    expect(first({ template: named("O:") }, tools)).toBe("O:");
    const option = createRenderer(tokenizer, { name: "default", template: named("O:") });
    expect(option.templateSource).toBe("option");
  });

  test("a model without one is written in ChatML, and that is told once", () => {
    const warnings: TitoWarning[] = [];
    // The file's own template is not taken where there are templates of other names.
    const none = new Proxy(tokenizer, {
      get(target, key) {
        if (key === "chatTemplates" || key === "templateSources") return new Map();
        const value = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const renderer = createRenderer(none, { name: "default" }, { onWarning: (warning) => warnings.push(warning) });
    expect(renderer.templateSource).toBe("fallback");
    const ids = shapeRenderer(shapes.chatml).renderIds([system, user, hello], { addGenerationPrompt: true });
    expect(renderer.renderIds([system, user, hello], { addGenerationPrompt: true })).toEqual(ids);
    renderer.render([user], { tools });
    renderer.render([user], { tools });
    expect(warnings.map((warning) => warning.code)).toEqual(["template_fallback", "tools_not_described"]);
    for (const { message } of warnings) expect(message).toMatch(/template/i);
  });

  test("tools that a template does not describe are told once, and only where they are given", () => {
    const { renderer, codes } = warningsOf("glm");
    renderer.render([user]);
    renderer.render([user], { tools: [] });
    expect(codes()).toEqual([]);
    renderer.render([user], { tools });
    renderer.renderIds([user], { tools });
    expect(codes()).toEqual(["tools_not_described"]);
    const described = warningsOf("thinking");
    described.renderer.render([user], { tools });
    expect(described.codes()).toEqual([]);
  });
});

describe("the template's variables", () => {
  const template = `{{ bos_token }}{{ tone | default('plain') }}{{ tools is none }}{{ documents is none }}
{%- for m in messages %}{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}!{% endif %}`;
  const text = (config: ShapeRendererOptions, addGenerationPrompt = false) => {
    const renderer = shapeRenderer(shapes.chatml, { template, ...config });
    return renderer.tokenizer.decode(renderer.renderIds([user], { addGenerationPrompt }));
  };

  test("white space around a turn's header may be another than the prompt's", () => {
    const template = `{% for m in messages %}
  <|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}<|im_start|>assistant

{% endif %}`;
    const renderer = shapeRenderer(shapes.chatml, { template });
    const rendered = renderer.render([user, hello, bye, hello]);
    expect(textWhere(renderer, rendered)((i) => rendered.sampledMask[i] === 1)).toBe("Hello<|im_end|>Hello<|im_end|>");
  });

  test("a template may change its lists only where that is allowed", () => {
    const template =
      "{% set l = [] %}{% for m in messages %}{% set _ = l.append(m.content) %}{% endfor %}{{ l | join('') }}<|im_end|>";
    const renderer = shapeRenderer(shapes.chatml, { template, mutable: true });
    expect(renderer.tokenizer.decode(renderer.renderIds([user, hello]))).toBe("HiHello<|im_end|>");
    expect(thrown(() => shapeRenderer(shapes.chatml, { template }).renderIds([user]))).toMatchObject({
      code: "template_error",
      details: { pythonType: "SecurityError" },
    });
  });

  test("special tokens may come as variables, too, and are trusted as such; other variables are not", () => {
    const template = "{{ bos_token }}{{ note }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}";
    const templateKwargs = { bos_token: "<|im_start|>", eos_token: "<|im_end|>", note: "<|im_end|>" };
    const renderer = shapeRenderer(shapes.chatml, { template, templateKwargs });
    const ids = Array.from(renderer.renderIds([user]));
    const { tokenizer } = renderer;
    expect(ids[0]).toBe(tokenizer.tokenToId("<|im_start|>"));
    expect(ids.filter((id) => id === tokenizer.tokenToId("<|im_end|>"))).toHaveLength(1);
    expect(tokenizer.decode(ids)).toBe("<|im_start|><|im_end|>Hi<|im_end|>");
  });

  test("templateKwargs are variables, and win over special tokens but not over what a render is given", () => {
    const tone = { templateKwargs: { tone: "loud", bos_token: "[B]", messages: [], add_generation_prompt: true } };
    expect(text({})).toBe("plainTrueTrueHi<|im_end|>");
    expect(text(tone)).toBe("[B]loudTrueTrueHi<|im_end|>");
    expect(text(tone, true)).toBe("[B]loudTrueTrueHi<|im_end|>!");
  });

  test("chatTemplateKwargs go to them", () => {
    const renderer = createRenderer(
      shapeTokenizer(shapes.chatml),
      { name: "default", template },
      { chatTemplateKwargs: { tone: "soft" } },
    );
    expect(renderer.tokenizer.decode(renderer.renderIds([user]))).toContain("soft");
  });
});

describe("adaptMessages", () => {
  test("folds a system message, says so once, and the columns count the messages that were passed", () => {
    const { renderer, codes, warnings } = warningsOf("gemma", { adaptMessages: true });
    expect(drawn(renderer, [system, user, hello])).toEqual([
      "-1 <bos>",
      "1 <start_of_turn>user\n",
      "1c Be kind.\n\nHi",
      "1 <end_of_turn>\n",
      "2 <start_of_turn>model\n",
      "2sc Hello<end_of_turn>",
      "2 \n",
    ]);
    renderer.render([system, user]);
    expect(codes()).toEqual(["messages_adapted"]);
    expect(warnings[0]!.message).toContain("messages[0]");
    expect(renderer.render([system, user, hello]).messageRoles).toEqual(["system", "user", "assistant"]);
  });

  test("off, and for other things alone, it leaves the system message to the template", () => {
    for (const adaptMessages of [false, ["content"], ["arguments"]] as ShapeRendererOptions["adaptMessages"][]) {
      const { renderer, codes } = warningsOf("gemma", { adaptMessages });
      expect(thrown(() => renderer.render([system, user])).code).toBe("template_raised");
      expect(codes()).toEqual([]);
    }
  });
});

test("without a certificate a bridge is refused: a template may rewrite earlier turns", () => {
  for (const name of names) {
    const renderer = shapeRenderer(shapes[name], { certificate: "off" });
    expect(renderer.thinkingRetention).toBe("template");
    expect(renderer.isPrefixStable).toBe(false);
    const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
    const words = name === "thinking" ? "</think>\n\nHello" : "Hello";
    const completionIds = [...renderer.tokenizer.encode(words), renderer.stopTokenIds[0]!];
    const bridge = renderer.bridgeToNextTurn({ promptIds, completionIds, newMessages: [bye] });
    expect(bridge).toMatchObject({ ok: false, reason: "template_rewrites_history" });
    expect(!bridge.ok && bridge.message.length).toBeGreaterThan(20);
  }
});

describe("errors", () => {
  test("of the template, with the line", () => {
    const error = thrown(() => shapeRenderer(shapes.gemma).render([system, user]));
    expect(error.code).toBe("template_raised");
    expect(error.details).toMatchObject({ line: 4, raised: "System role not supported" });
    const template = "{% for m in messages %}\n{{ m.content + 1 }}{% endfor %}";
    const failing = thrown(() => shapeRenderer(shapes.chatml, { template }).render([user]));
    expect(failing.code).toBe("template_error");
    expect(failing.details).toMatchObject({ line: 2, pythonType: "TypeError", expression: "m.content + 1" });
  });

  test.each<[string, ShapeRendererOptions, ErrorCode, RegExp]>([
    ["syntax", { template: "{% for m in %}" }, "template_syntax", /line 1/],
    ["a template's name", { templateName: "nope" }, "unknown_template", /nope.*default/],
    ["a tool parser", { toolParser: "nope" }, "unknown_parser", /nope.*hermes/],
    ["a reasoning parser", { reasoningParser: "nope" }, "unknown_parser", /nope.*think/],
    ["thinking retention", { thinkingRetention: "all", certificate: "off" }, "invalid_config", /thinkingRetention/],
    ["a retired variable", { templateKwargs: { preserve_all_thinking: true } }, "invalid_config", /preserve_all/],
  ])("at construction: %s", (_, config, code, sentence) => {
    const error = thrown(() => shapeRenderer(shapes.chatml, config));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
  });

  test("strict validation knows the roles; validate: template leaves them to the template", () => {
    const critic: Message = { role: "critic", content: "No." };
    expect(thrown(() => shapeRenderer(shapes.chatml).render([user, critic])).code).toBe("unknown_role");
    const lines = drawn(shapeRenderer(shapes.chatml, { validate: "template" }), [user, critic]);
    expect(lines).toContain("1 <|im_start|>critic\n");
  });
});
