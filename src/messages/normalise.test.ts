import { describe, expect, it } from "vitest";
import {
  contentText,
  JsonNumber,
  type Message,
  messagesFromJson,
  messageToolNames,
  normalise,
  parseJson,
  pythonJson,
  toolFunction,
  toolName,
  toolsFromJson,
} from "./index.ts";

describe("normalise", () => {
  it("keeps missing and null apart", () => {
    const { messages } = normalise([{ role: "assistant" }, { role: "assistant", content: null }]);
    expect(messages.map(({ content }) => content)).toEqual([undefined, null]);
    expect(messages.map(({ text }) => text)).toEqual(["", ""]);
  });

  it("reads the envelope and the flat call alike, arguments as given", () => {
    const enveloped = { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } } as const;
    const flat = { name: "f", arguments: { x: 1 } };
    const [message] = normalise([{ role: "assistant", tool_calls: [enveloped, flat, {}] }]).messages;
    expect(message?.toolCalls).toEqual([
      { id: "a", name: "f", arguments: '{"x":1}', raw: enveloped },
      { id: undefined, name: "f", arguments: { x: 1 }, raw: flat },
      { id: undefined, name: "", arguments: undefined, raw: {} },
    ]);
    expect(message?.toolCalls[1]?.arguments).toBe(flat.arguments);
  });

  it("prefers reasoning_content, an empty one too", () => {
    const reasoning = (message: Partial<Message>) =>
      normalise([{ role: "assistant", ...message }]).messages[0]?.reasoning;
    expect(reasoning({ reasoning_content: "a", reasoning: "b" })).toBe("a");
    expect(reasoning({ reasoning_content: "", reasoning: "b" })).toBe("");
    expect(reasoning({ reasoning_content: null, reasoning: "b" })).toBe("b");
    expect(reasoning({})).toBeNull();
  });

  it("tells no tools from an empty list", () => {
    expect(normalise([]).tools).toBeUndefined();
    expect(normalise([], { tools: null }).tools).toBeUndefined();
    expect(normalise([], { tools: [] }).tools).toEqual([]);
  });
});

describe("contentText", () => {
  it("joins text parts and leaves others out", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "thinking", thinking: "b" },
      { type: "image" },
      { type: "text", text: "c" },
    ];
    expect(contentText({ content })).toBe("ac");
    expect(contentText({ content: "a" })).toBe("a");
    expect(contentText({ content: null })).toBe("");
    expect(contentText({})).toBe("");
  });
});

describe("messageToolNames", () => {
  it("takes the message's own name, or the latest earlier call's", () => {
    const call = (id: string, name: string): Message => ({
      role: "assistant",
      tool_calls: [{ id, name, arguments: {} }],
    });
    const result = (id: string, name?: string): Message => ({ role: "tool", tool_call_id: id, name: name ?? null });
    expect(
      messageToolNames([
        result("a"),
        call("a", "f"),
        result("a"),
        call("a", "g"),
        result("a"),
        result("a", "h"),
        result("b"),
      ]),
    ).toEqual([null, null, "f", null, "g", "h", null]);
    expect(messageToolNames([{ role: "user", name: "Ada", content: "" }])).toEqual([null]);
  });
});

describe("tools", () => {
  it("are named in the envelope and flat", () => {
    expect(toolName({ type: "function", function: { name: "f" } })).toBe("f");
    expect(toolFunction({ name: "f", type: "function" })).toEqual({ name: "f", type: "function" });
  });
});

describe("messagesFromJson", () => {
  it("opens the chat shape and keeps arguments to the letter", () => {
    const text = `[{"role": "assistant", "content": [{"type": "text", "text": "a"}], "__proto__": 1,
      "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"2": 1.0, "1": 1e16}}}]}]`;
    const [message] = messagesFromJson(parseJson(text));
    expect(message?.content).toEqual([{ type: "text", text: "a" }]);
    expect(pythonJson(message?.tool_calls?.[0]?.function?.arguments ?? null)).toBe('{"2": 1.0, "1": 1e+16}');
    expect(Object.keys(message ?? {})).toContain("__proto__");
  });

  it("opens tools, enveloped and flat", () => {
    const tools = toolsFromJson(
      parseJson('[{"type": "function", "function": {"name": "f", "parameters": {"n": 1.0}}}, {"name": "g"}]'),
    );
    expect(tools.map(toolName)).toEqual(["f", "g"]);
    expect(toolFunction(tools[0]!).parameters).toEqual(new Map([["n", new JsonNumber("1.0")]]));
  });
});
