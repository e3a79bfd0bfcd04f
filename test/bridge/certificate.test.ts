import { describe, expect, test } from "vitest";
import { bridgeCertificateCommand } from "../../src/cli/bridgeCertificate.ts";
import type { Message, Renderer } from "../../src/index.ts";
import { bridgeAt } from "../support/bridgeProbe.ts";
import { type ShapeRendererOptions, shapeRenderer, shapes, type TemplateShape } from "../support/chatTemplates.ts";
import { modelFile } from "../support/qwen3.ts";

const question: Message = { role: "user", content: "Why?" };
const answer: Message = { role: "assistant", content: "So." };

function verdict(renderer: Renderer, last: string, next: string, { tools = false, thinking = false } = {}) {
  return renderer.bridgeCertificate!.boundaries.find(
    (one) => one.last === last && one.next.join() === next && one.tools === tools && one.thinking === thinking,
  );
}

/** A bridge behind an answer to a question. */
function bridge(renderer: Renderer, next: readonly Message[], history: readonly Message[] = [question, answer]) {
  const { tokenizer } = renderer;
  const { result } = bridgeAt(renderer, { history, next }, undefined)!;
  return result.ok ? tokenizer.decode(result.extension.tokenIds) : result.reason;
}

const chatml = (turn: string): TemplateShape => ({
  ...shapes.chatml,
  markers: ["<think>", "</think>"],
  template:
    "{%- set ns = namespace(query=-1) %}" +
    "{%- for message in messages %}{% if message.role == 'user' %}{% set ns.query = loop.index0 %}{% endif %}{% endfor %}" +
    `{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' }}${turn}{{- '<|im_end|>\\n' }}{%- endfor %}` +
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
});

const said = "{{ message.content }}";
const thinks = (condition: string) =>
  `{% if message.reasoning_content and ${condition} %}{{ '<think>' + message.reasoning_content + '</think>' }}{% endif %}${said}`;
const thoughtful: Message = { ...answer, reasoning_content: "Hm." };

describe("what a template's renders show", () => {
  test("plain turns: it appends everywhere, and says what closes a turn and what stands between turns", () => {
    const renderer = shapeRenderer(shapes.chatml);
    expect(renderer.bridgeCertificate!.turn).toMatchObject({ close: "<|im_end|>", cutContent: "<|im_end|>" });
    expect(verdict(renderer, "answer", "user")).toMatchObject({ verdict: "appends", separator: "\n" });
    expect(renderer.thinkingRetention).toBe("all");
    expect(bridge(renderer, [question])).toBe("\n<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n");
  });

  test("the next turn's marker as a turn's end is not written twice", () => {
    const renderer = shapeRenderer(shapes.glm);
    expect(renderer.bridgeCertificate!.turn).toMatchObject({ close: null, nextTurn: ["<|user|>", "<|observation|>"] });
    const { tokenizer } = renderer;
    const promptIds = renderer.renderIds([question], { addGenerationPrompt: true });
    const behind = (stop: string) => {
      const result = renderer.bridgeToNextTurn({
        promptIds,
        completionIds: tokenizer.encode(`So.${stop}`),
        newMessages: [question],
      });
      return result.ok && [tokenizer.decode(result.extension.tokenIds), result.synthetic];
    };
    expect(behind("<|user|>")).toEqual(["\nWhy?<|assistant|>\n", null]);
    expect(behind("<|endoftext|>")).toEqual(["<|user|>\nWhy?<|assistant|>\n", null]);
    expect(behind("")).toEqual(["<|endoftext|><|user|>\nWhy?<|assistant|>\n", [0, 1]]);
  });

  test("thinking that a query drops: the shortest conversation that shows it, and a refusal", () => {
    const renderer = shapeRenderer(chatml(thinks("loop.index0 > ns.query")));
    expect(verdict(renderer, "answer", "user")).toMatchObject({ verdict: "appends" });
    expect(verdict(renderer, "answer", "user", { thinking: true })).toMatchObject({
      verdict: "rewrites",
      counterExample: { messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
    });
    expect(renderer.thinkingRetention).toBe("tool_cycle");
    expect(bridge(renderer, [question], [question, thoughtful])).toBe("new_user_query");
  });

  test("a turn that looks at the last message rewrites history, whatever that is", () => {
    const renderer = shapeRenderer(chatml("{{ message.content if loop.last else message.content | upper }}"));
    expect(verdict(renderer, "answer", "user")).toMatchObject({ verdict: "rewrites" });
    expect(renderer.thinkingRetention).toBe("template");
    expect(bridge(renderer, [question])).toBe("template_rewrites_history");
  });

  test("text that counts the messages depends on the history", () => {
    const renderer = shapeRenderer(chatml(`{{ loop.index }}${said}`));
    expect(verdict(renderer, "answer", "user")).toMatchObject({ verdict: "depends" });
    expect(bridge(renderer, [question])).toBe("depends_on_history");
  });

  test("words of a message that change earlier turns are found when the bridge is made", () => {
    const loud = "{{ message.content | upper if messages[-1].content == 'LOUD' else message.content }}";
    const renderer = shapeRenderer(chatml(loud));
    expect(verdict(renderer, "answer", "user")).toMatchObject({ verdict: "appends" });
    expect(bridge(renderer, [question])).toContain("Why?");
    expect(bridge(renderer, [{ role: "user", content: "LOUD" }])).toBe("template_rewrites_history");
  });

  test("the name of a tool that nothing tells", () => {
    const named = `{% if message.role == 'tool' %}{{ messages[loop.index0 - 1].tool_calls[0].function.name }}: {% endif %}${said}`;
    const renderer = shapeRenderer(
      chatml(`{% for c in message.tool_calls or [] %}{{ c.function.name }}{% endfor %}${named}`),
    );
    const call = { id: "a", type: "function", function: { name: "look", arguments: {} } } as const;
    const history: Message[] = [question, { role: "assistant", content: "", tool_calls: [call] }];
    const result: Message = { role: "tool", content: "1", tool_call_id: "a" };
    expect(verdict(renderer, "calls", "tool")).toMatchObject({ verdict: "appends" });
    expect(bridge(renderer, [result], history)).toBe("unresolved_tool_name");
    expect(bridge(renderer, [{ ...result, name: "look" }], history)).toContain("tool\nlook: 1<|im_end|>");
  });

  test("what the template refuses, and what it leaves out", () => {
    const strict = "{% if message.role == 'system' and loop.index > 1 %}{{ raise_exception('late') }}{% endif %}";
    const refusing = shapeRenderer(chatml(strict + said));
    expect(verdict(refusing, "answer", "system")).toMatchObject({ verdict: "refuses", raised: "late" });
    expect(bridge(refusing, [{ role: "system", content: "x" }])).toBe("template_refuses");
    const deaf = shapeRenderer(chatml(`{% if message.role != 'system' %}${said}{% endif %}`));
    expect(verdict(deaf, "answer", "system")).toMatchObject({ verdict: "omits" });
    expect(bridge(deaf, [{ role: "system", content: "x" }])).toBe("role_not_rendered");
  });
});

describe("options", () => {
  const retained = (shape: TemplateShape, thinkingRetention: "all" | "tool_cycle", more: ShapeRendererOptions = {}) =>
    shapeRenderer(shape, { thinkingRetention, ...more });

  test("thinkingRetention is what the template keeps, or an error", () => {
    const keeps = chatml(thinks("true"));
    const drops = chatml(thinks("loop.index0 > ns.query"));
    const refused = expect.objectContaining({ code: "invalid_config" });
    expect(retained(keeps, "all").thinkingRetention).toBe("all");
    expect(bridge(retained(keeps, "all"), [question], [question, thoughtful])).toContain("Why?");
    expect(bridge(retained(keeps, "tool_cycle"), [question])).toBe("new_user_query");
    expect(retained(drops, "tool_cycle").thinkingRetention).toBe("tool_cycle");
    expect(() => retained(drops, "all")).toThrow(refused);
    expect(() => retained(keeps, "all", { certificate: "off" })).toThrow(refused);
  });

  test("without a certificate there are no bridges", () => {
    const renderer = shapeRenderer(shapes.chatml, { certificate: "off" });
    expect(renderer.bridgeCertificate).toBeNull();
    expect(bridge(renderer, [question])).toBe("template_rewrites_history");
  });

  test("a certificate is made once for a template and its variables", () => {
    const first = shapeRenderer(shapes.chatml).bridgeCertificate;
    expect(shapeRenderer(shapes.chatml).bridgeCertificate).toBe(first);
    expect(shapeRenderer(shapes.chatml, { templateKwargs: { x: 1 } }).bridgeCertificate).not.toBe(first);
  });
});

test("tito bridge-certificate", async () => {
  const run = async (...args: string[]) => {
    const out: string[] = [];
    const io = {
      write: (text: string) => void out.push(text),
      note() {},
      readStdin: () => "",
      isTty: false,
      colors: false,
    };
    return { code: await bridgeCertificateCommand(args, io), text: out.join("") };
  };
  const shown = await run(modelFile);
  expect(shown.code).toBe(0);
  expect(shown.text).toMatch(/calls → tool \(thinking\) +append-only, between turns "\\n"/);
  const { code, text } = await run(modelFile, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(text)).toMatchObject({ version: 1, turn: { close: "<|im_end|>" } });
});
