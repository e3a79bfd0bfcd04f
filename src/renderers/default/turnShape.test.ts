import { describe, expect, test } from "vitest";
import type { Conversation } from "../../messages/index.ts";
import { compileTemplate } from "../../template/index.ts";
import type { AddedToken } from "../../tokenizer/types.ts";
import { templateContext } from "./templateContext.ts";
import { addedText, firstToken, lastToken, sharedOpening, turnShape } from "./turnShape.ts";

const flags = { lstrip: false, rstrip: false, singleWord: false, normalized: false };

function tokens(special: readonly string[], markers: readonly string[] = []): AddedToken[] {
  return [...special, ...markers].map((content, id) => ({ id, content, special: id < special.length, ...flags }));
}

function shapeOf(template: string, known: readonly AddedToken[]) {
  const variables = { specialTokens: new Map([["eos_token", "</s>"]]), templateKwargs: {} };
  return turnShape(
    compileTemplate(template),
    (messages, { addGenerationPrompt, tools }) =>
      templateContext(
        { messages: messages.map((raw) => ({ raw })) as unknown as Conversation["messages"], tools: tools as never },
        variables,
        addGenerationPrompt,
      ),
    known,
  );
}

const chatml = tokens(["<|im_start|>", "<|im_end|>"], ["<think>", "</think>"]);
const loop = (turn: string, prompt: string) =>
  `{% for m in messages %}${turn}{% endfor %}{% if add_generation_prompt %}${prompt}{% endif %}`;

describe("how a template writes an assistant's turn", () => {
  test("a header, and a token that ends it", () => {
    const turn = "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}";
    expect(shapeOf(loop(turn, "{{ '<|im_start|>assistant\\n' }}"), chatml)).toMatchObject({
      generationPrompt: "<|im_start|>assistant\n",
      header: "<|im_start|>assistant\n",
      turnEnd: "<|im_end|>",
      nextTurn: [],
    });
  });

  test("thinking that the prompt opens is no part of every turn's header", () => {
    const turn =
      "{{ '<|im_start|>' + m.role + '\\n' }}{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}" +
      "{{ m.content + '<|im_end|>\\n' }}";
    const shape = shapeOf(loop(turn, "{{ '<|im_start|>assistant\\n<think>' }}"), chatml);
    expect(shape.generationPrompt).toBe("<|im_start|>assistant\n<think>");
    expect(shape.header).toBe("<|im_start|>assistant\n");
  });

  test("turns that the next one's marker ends", () => {
    const known = tokens(["<|user|>", "<|assistant|>", "<|tool|>"]);
    expect(shapeOf(loop("{{ '<|' + m.role + '|>' + m.content }}", "<|assistant|>"), known)).toMatchObject({
      generationPrompt: "<|assistant|>",
      turnEnd: null,
      nextTurn: ["<|user|>", "<|tool|>"],
    });
  });

  test("no generation prompt: the whole turn is the model's", () => {
    const turn =
      "{% if m.role == 'user' %}[INST]{{ m.content }}[/INST]{% else %}{{ m.content + eos_token }}{% endif %}";
    expect(shapeOf(loop(turn, ""), tokens(["</s>"]))).toMatchObject({
      generationPrompt: "",
      header: "",
      turnEnd: "</s>",
      nextTurn: [],
    });
  });

  test("another generation prompt behind results", () => {
    const prompt = "{{ '<|im_start|>assistant\\n' }}{% if messages[-1].role != 'tool' %}<think>{% endif %}";
    const shape = shapeOf(loop("{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' }}", prompt), chatml);
    expect(shape.generationPrompt).toBe("<|im_start|>assistant\n<think>");
    expect(shape.afterResult).toBe("<|im_start|>assistant\n");
  });

  test("a template that refuses the probes, or writes no content by itself, says what it can", () => {
    const refusing = "{% if messages | length > 1 %}{{ raise_exception('one') }}{% endif %}{{ messages[0].content }}";
    expect(shapeOf(`${refusing}{% if add_generation_prompt %}>{% endif %}`, chatml)).toMatchObject({
      generationPrompt: ">",
      header: ">",
      turnEnd: null,
      nextTurn: [],
    });
    expect(shapeOf(loop("{{ m | tojson }}<|im_end|>", ""), chatml)).toMatchObject({ header: "", nextTurn: [] });
  });
});

describe("texts", () => {
  test("what one render has more than another", () => {
    expect(addedText("ab", "abc")).toBe("c");
    expect(addedText("ab", "xabc")).toBe("");
  });

  test("a shared opening has no half of a marker", () => {
    expect(sharedOpening("<a><think>", "<a></think>")).toBe("<a>");
    expect(sharedOpening("<a><", "<a><")).toBe("<a><");
    expect(sharedOpening("[A] x", "[A] y")).toBe("[A] ");
  });

  test("the first and the last token of a text, the longest where two begin or end at one place", () => {
    const known = tokens(["<a>", "<a><b>", "<b>"], ["</think>"]);
    expect(firstToken("<a><b>x", known)).toBe("<a><b>");
    expect(firstToken("x<a>", known)).toBeNull();
    expect(lastToken("x<a><b></think>", known)).toEqual({ content: "<a><b>", end: 7 });
    expect(lastToken("x</think>", known)).toBeNull();
  });
});
