import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, RendererConfigInput, ToolSpec } from "../../src/index.ts";
import { bridgeEqualsRender, chunkingInvariant, roundTrips } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const user: Message = { role: "user", content: "hi" };
const thought: Message = { role: "assistant", content: "yes", reasoning_content: "so" };
const call = (args: unknown): Message => ({
  role: "assistant",
  content: "ok",
  tool_calls: [{ id: "a", function: { name: "f", arguments: args as string } }],
});
const tool: ToolSpec = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
const text = (config: RendererConfigInput, messages: readonly Message[], addGenerationPrompt = false) => {
  const renderer = familyRenderer(config);
  return renderer.tokenizer.decode(renderer.renderIds(messages, { addGenerationPrompt }));
};

describe("settings of one's own", () => {
  const configs: RendererConfigInput[] = [
    { name: "laguna-xs.2", enableThinking: true },
    { name: "laguna-xs.2", enableThinking: true, patched: true },
    { name: "laguna-xs-2.1", enableThinking: true },
    { name: "laguna-s-2.1", enableThinking: false, preserveThinking: true },
  ];
  test.each(configs.map((config) => [JSON.stringify(config), config]))("%s", (_, config) => {
    const renderer = familyRenderer(config as RendererConfigInput);
    fc.assert(roundTrips(renderer), { numRuns: 60 });
    fc.assert(bridgeEqualsRender(renderer), { numRuns: 40 });
    fc.assert(chunkingInvariant(renderer), { numRuns: 60 });
  });
});

describe("with lines", () => {
  const xs2: RendererConfigInput = { name: "laguna-xs.2" };

  test("edges go, and empty content has no line", () => {
    const padded: Message = { role: "assistant", content: " \n yes ", reasoning_content: "\n so\n" };
    expect(text(xs2, [user, padded])).toContain("<assistant>\n<think>\nso\n</think>\nyes\n</assistant>\n");
    expect(text(xs2, [user, { ...call({}), content: " " }])).toContain(
      "<assistant>\n</think>\n<tool_call>f\n</tool_call>\n</assistant>",
    );
    expect(text({ ...xs2, patched: true }, [user, padded])).toContain(
      "<think>\n\n so\n\n</think>\n \n yes \n</assistant>",
    );
  });

  test("thinking in the content is told apart, also beside a field", () => {
    const inline: Message = { role: "assistant", content: "<think>a</think>b", reasoning_content: "so" };
    expect(text(xs2, [user, inline])).toContain("<think>\nso\n</think>\nb\n</assistant>");
    expect(text({ ...xs2, patched: true }, [user, inline])).toContain("</think>\n<think>a</think>b\n</assistant>");
  });

  test("M.1 has no default system text and no block for nothing", () => {
    expect(text({ name: "laguna-m.1" }, [user])).toBe("〈|EOS|〉<user>\nhi\n</user>\n");
    expect(text(xs2, [user])).toContain("<system>\n\nYou are a helpful, conversationally-fluent assistant made by");
    expect(text(xs2, [{ role: "system", content: " " }, user])).toBe("〈|EOS|〉<user>\nhi\n</user>\n");
  });

  test("raw messages are their content", () => {
    const raw: RendererConfigInput = { ...xs2, renderAssistantMessagesRaw: true };
    expect(text(raw, [user, call({})])).toContain("<assistant>\n</think>ok\n</assistant>\n");
    const closed: Message = { role: "assistant", content: "</think>\nok\n</assistant>" };
    expect(text(raw, [user, closed])).toContain("<assistant>\n</think>\nok\n</assistant>\n");
    expect(text({ ...raw, enableThinking: true }, [user, closed])).toContain("<assistant>\n<think></think>\nok");
  });

  test("the line after the content is the format's", () => {
    const renderer = familyRenderer(xs2);
    const read = (answer: string) =>
      renderer.parseResponse(renderer.tokenizer.encode(answer), { prompt: { reasoning: "closed" } });
    expect(read("\nyes\n</assistant>")).toMatchObject({ content: "yes", canonical: true });
    expect(read("\n</assistant>")).toMatchObject({ content: "", canonical: true });
    expect(read("\n\nyes\n\n</assistant>")).toMatchObject({ content: "\nyes\n", canonical: false });
    expect(read("\nyes\n")).toMatchObject({ content: "yes\n", stop: { kind: "none" } });
  });

  test("the prompt's opening marker is followed by the model's line", () => {
    const renderer = familyRenderer({ ...xs2, enableThinking: true, patched: true });
    const parsed = renderer.parseResponse(renderer.tokenizer.encode("\n\nso\n</think>\nyes\n</assistant>"), {
      prompt: renderer.renderIds([user], { addGenerationPrompt: true }),
    });
    expect(parsed).toMatchObject({ reasoning: { text: "\nso" }, content: "yes", canonical: true });
  });

  test("a bridge begins with the template's newline, or as recorded elsewhere only behind its own close", () => {
    const extension = (config: RendererConfigInput, completion: string) => {
      const renderer = familyRenderer(config);
      const bridge = renderer.bridgeToNextTurn({
        promptIds: renderer.renderIds([user], { addGenerationPrompt: true }),
        completionIds: renderer.tokenizer.encode(completion),
        newMessages: [user],
      });
      return bridge.ok && renderer.tokenizer.decode(bridge.extension.tokenIds);
    };
    const next = "<user>\nhi\n</user>\n<assistant>\n</think>";
    expect(extension(xs2, "\nyes\n</assistant>")).toBe(`\n${next}`);
    expect(extension(xs2, "\nyes\n〈|EOS|〉")).toBe(`\n${next}`);
    expect(extension(xs2, "\nyes")).toBe(`</assistant>\n${next}`);
    expect(extension(xs2, "<think>\nso")).toBe(`\n</think>\n</assistant>\n${next}`);
    const plain: RendererConfigInput = { ...xs2, newlineAfterTurn: false };
    expect(extension(plain, "\nyes\n</assistant>")).toBe(next);
    expect(extension(plain, "\nyes")).toBe(`</assistant>\n${next}`);
  });
});

describe("with hugging tags", () => {
  test("thinking is written in all turns or in none", () => {
    const messages = [user, thought, user, { ...thought, reasoning_content: "" }];
    const thinking = text({ name: "laguna-xs-2.1", enableThinking: true }, messages, true);
    expect(thinking).toContain("<assistant><think>so</think>yes</assistant>\n<user>hi</user>\n");
    expect(thinking.endsWith("<assistant><think></think>yes</assistant>\n<assistant><think>")).toBe(true);
    expect(text({ name: "laguna-xs-2.1" }, messages)).not.toContain("so");
    const preserved = text({ name: "laguna-s-2.1", enableThinking: false, preserveThinking: true }, messages, true);
    expect(preserved).toContain("<assistant><think>so</think>yes</assistant>");
    expect(preserved.endsWith("<assistant></think>")).toBe(true);
  });

  test("S-2.1 and XS.2 prefer the field reasoning", () => {
    const both: Message = { ...thought, reasoning: "first" };
    expect(text({ name: "laguna-s-2.1" }, [user, both])).toContain("<think>first</think>");
    expect(text({ name: "laguna-xs.2" }, [user, both])).toContain("<think>\nfirst\n</think>");
    const xs21: RendererConfigInput = { name: "laguna-xs-2.1", enableThinking: true };
    expect(text(xs21, [user, both])).toContain("<think>so</think>");
    const other: Message = { role: "assistant", content: "yes", reasoning: "first" };
    expect(text(xs21, [user, other])).toContain("<think>first</think>");
    expect(text({ ...xs21, validate: "template" }, [user, other])).toContain("<think></think>");
  });

  test("the system block stands for thinking alone", () => {
    const silent: Message = { role: "system", content: "" };
    expect(text({ name: "laguna-s-2.1" }, [silent, user])).toBe("〈|EOS|〉<system></system>\n<user>hi</user>\n");
    expect(text({ name: "laguna-s-2.1", enableThinking: false }, [silent, user])).toBe("〈|EOS|〉<user>hi</user>\n");
  });

  test("a token that a body shares with its tag is the body's, its message included", () => {
    const renderer = familyRenderer({ name: "laguna-xs-2.1" });
    const { tokenIds, contentMask, messageIndices } = renderer.render([{ role: "system", content: "=1" }, user]);
    const bodies = [0, 1].map((message) =>
      renderer.tokenizer.decode(
        Array.from(tokenIds).filter((_, at) => contentMask[at] === 1 && messageIndices[at] === message),
      ),
    );
    expect(bodies[0]).toContain("=1");
    expect(bodies[1]).toContain("hi");
    expect(Array.from(contentMask).every((bit, at) => bit === 0 || messageIndices[at] >= 0)).toBe(true);
  });

  test("thinking parts stand for the field", () => {
    const parts: Message = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "so" },
        { type: "text", text: "yes" },
      ],
    };
    expect(text({ name: "laguna-s-2.1" }, [user, parts])).toContain("<think>so</think>yes");
    expect(text({ name: "laguna-m.1" }, [user, parts])).toContain("<assistant>\n</think>\nyes");
  });
});

describe.each(["laguna-xs.2", "laguna-xs-2.1"] as const)("calls of %s", (name) => {
  const renderer = familyRenderer({ name });
  const { tokenizer } = renderer;
  const line = name === "laguna-xs.2" ? "\n" : "";
  const argument = (key: string, value: string) =>
    `<arg_key>${key}</arg_key>${line}<arg_value>${value}</arg_value>${line}`;
  const read = (answer: string, tools?: readonly ToolSpec[]) =>
    renderer.parseResponse(tokenizer.encode(answer), { prompt: { reasoning: "closed" }, tools });

  test.each([
    ["edges", " \n x\n\n"],
    ["its closing tag", "a</arg_value>b"],
    ["a key's tags", "a</arg_value><arg_key>k</arg_key> b"],
    ["the call's end", "a</tool_call>b"],
  ])("a value survives: %s", (_, value) => {
    const parsed = read(
      `<tool_call>f${line}${argument("a", value)}${argument("b", "2")}</tool_call>${line}</assistant>`,
    );
    expect(parsed.toolCalls).toMatchObject([{ name: "f", arguments: { a: value, b: 2 } }]);
  });

  test.each([
    ["cut", `<tool_call>f${line}<arg_key>a`, { name: null, status: "unclosed_block" }],
    ["without its value", "<tool_call>f<arg_key>a</arg_key></tool_call>", { name: "f", status: "malformed_structure" }],
    ["without a name", "<tool_call></tool_call>", { name: null, status: "missing_name" }],
    ["of another tool", "<tool_call>g</tool_call>", { name: "g", status: "unknown_tool" }],
    [
      "laid out otherwise",
      "<tool_call> f\n\n<arg_key>a</arg_key> <arg_value>1</arg_value></tool_call>",
      { arguments: { a: 1 } },
    ],
  ])("a call %s", (_, answer, reading) => {
    expect(read(answer, [tool]).toolCalls).toMatchObject([reading]);
  });

  test("a call inside reasoning that never closes is reasoning", () => {
    expect(read("<think>so <tool_call>f</tool_call></assistant>")).toMatchObject({
      reasoning: { complete: false },
      toolCalls: [],
    });
  });

  test("arguments that are no object are none", () => {
    expect(text({ name, validate: "template" }, [user, call("[1")])).toContain(
      `ok${line}<tool_call>f${line}</tool_call>`,
    );
  });
});
