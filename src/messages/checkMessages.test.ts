import { describe, expect, it } from "vitest";
import { TitoError } from "../errors.ts";
import { checkMessages, checkTools, type Message, parseJson, type ToolSpec } from "./index.ts";

const user: Message = { role: "user", content: "Weather in Bern?" };
const call = (args: unknown, id: string | undefined = "call_1") =>
  ({
    role: "assistant",
    content: null,
    tool_calls: [
      { ...(id === undefined ? {} : { id }), type: "function", function: { name: "weather", arguments: args } },
    ],
  }) as Message;
const result: Message = { role: "tool", content: "21 °C", tool_call_id: "call_1" };

function refusal(messages: unknown, options: Partial<Parameters<typeof checkMessages>[1]> = {}): TitoError | undefined {
  try {
    checkMessages(messages as Message[], { validate: "strict", ...options });
    return undefined;
  } catch (error) {
    if (error instanceof TitoError) return error;
    throw error;
  }
}

describe("checkMessages, strict", () => {
  it.each<[string, readonly unknown[]]>([
    ["a tool cycle", [user, call('{"city": "Bern"}'), result, { role: "assistant", content: "21 °C" }]],
    [
      "arguments as a value, a Map, empty",
      [user, call({ city: "Bern" }), call(parseJson('{"x": 1.0}')), call("{}"), call({})],
    ],
    ["NaN in arguments, as Python writes it", [call('{"x": NaN}')]],
    [
      "a flat call without an id, a result without one",
      [
        { role: "assistant", tool_calls: [{ name: "f", arguments: {} }] },
        { role: "tool", content: "" },
      ],
    ],
    [
      "parts, known and not",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "" },
            { type: "image_url", image_url: {} },
          ],
        },
      ],
    ],
    ["reasoning without content", [user, { role: "assistant", reasoning: "Hm." }]],
    [
      "null in every optional field",
      [
        {
          role: "user",
          content: "",
          reasoning_content: null,
          reasoning: null,
          tool_calls: null,
          tool_call_id: null,
          name: null,
        },
      ],
    ],
    ["developer, system anywhere", [user, { role: "developer", content: "" }, { role: "system", content: "" }]],
  ])("accepts %s", (_, messages) => {
    expect(refusal(messages)).toBeUndefined();
  });

  it.each<[unknown, string, string, string, string]>([
    [[], "empty_messages", "messages", "at least one message", "an empty array"],
    [{}, "invalid_message", "messages", "an array of messages", "an object"],
    [[user, "hi"], "invalid_message", "messages[1]", "an object", '"hi"'],
    [[parseJson('{"role": "user"}')], "invalid_message", "messages[0]", "an object", "a Map"],
    [[{ content: "" }], "invalid_message", "messages[0].role", "a string", "nothing"],
    [
      [{ role: "human", content: "" }],
      "unknown_role",
      "messages[0].role",
      "one of system, developer, user, assistant, tool",
      '"human"',
    ],
    [[{ role: "user" }], "invalid_message", "messages[0].content", "a string or an array of parts", "nothing"],
    [
      [{ role: "assistant", content: null, tool_calls: [] }],
      "invalid_message",
      "messages[0].content",
      "a string or an array of parts",
      "null",
    ],
    [
      [{ role: "user", content: 5 }],
      "invalid_message",
      "messages[0].content",
      "a string, an array of parts or null",
      "the number 5",
    ],
    [[{ role: "user", content: ["a"] }], "invalid_message", "messages[0].content[0]", "an object", '"a"'],
    [
      [{ role: "user", content: [{ text: "a" }] }],
      "invalid_message",
      "messages[0].content[0].type",
      "a string",
      "nothing",
    ],
    [
      [{ role: "user", content: [{ type: "text" }] }],
      "invalid_message",
      "messages[0].content[0].text",
      "a string",
      "nothing",
    ],
    [[{ role: "user", content: "", name: 3 }], "invalid_message", "messages[0].name", "a string", "the number 3"],
    [
      [{ role: "assistant", content: "", reasoning: {} }],
      "invalid_message",
      "messages[0].reasoning",
      "a string",
      "an object",
    ],
    [[{ role: "assistant", tool_calls: {} }], "invalid_message", "messages[0].tool_calls", "an array", "an object"],
    [
      [{ ...call({}), role: "user", content: "" }],
      "invalid_message",
      "messages[0].tool_calls",
      "none in a user message",
      "an array of 1",
    ],
    [
      [{ role: "assistant", tool_calls: [7] }],
      "invalid_message",
      "messages[0].tool_calls[0]",
      "an object",
      "the number 7",
    ],
    [
      [{ role: "assistant", tool_calls: [{ function: null }] }],
      "invalid_message",
      "messages[0].tool_calls[0].function",
      "an object",
      "null",
    ],
    [
      [{ role: "assistant", tool_calls: [{ name: "", arguments: {} }] }],
      "invalid_message",
      "messages[0].tool_calls[0].name",
      "the called tool's name",
      '""',
    ],
    [
      [{ role: "assistant", tool_calls: [{ id: 1, name: "f", arguments: {} }] }],
      "invalid_message",
      "messages[0].tool_calls[0].id",
      "a string",
      "the number 1",
    ],
    [[user, result], "orphan_tool_result", "messages[1].tool_call_id", "the id of an earlier tool call", '"call_1"'],
    [
      [user, call({}, "call_2"), result],
      "orphan_tool_result",
      "messages[2].tool_call_id",
      "the id of an earlier tool call",
      '"call_1"',
    ],
    [
      [user, { role: "tool", content: "" }, call({})],
      "orphan_tool_result",
      "messages[1]",
      "an earlier assistant message with a tool call",
      "nothing",
    ],
  ])("refuses %j as %s", (messages, code, field, expected, actual) => {
    const error = refusal(messages);
    expect(error).toMatchObject({ code, details: { field, expected, actual } });
    expect(error?.message.startsWith(`${field}: expected ${expected}, found ${actual}. `)).toBe(true);
  });

  it.each(['{"a": 1,', "", "[1]", '"text"', "null", "{'a': 1}", undefined, null, [1], 7])(
    "refuses arguments %j",
    (args) => {
      const error = refusal([user, user, user, call(args)]);
      expect(error).toMatchObject({
        code: "invalid_arguments",
        details: { message: 3, field: "messages[3].tool_calls[0].function.arguments" },
      });
    },
  );

  it("refuses arguments that Python could not read", () => {
    const deep = `{"a": ${"[".repeat(1001)}${"]".repeat(1001)}}`;
    expect(refusal([call(deep)])).toMatchObject({ code: "invalid_arguments" });
    expect(refusal([call(`{"a": ${"9".repeat(4301)}}`)])).toMatchObject({ code: "invalid_arguments" });
  });

  it("says where arguments are no JSON", () => {
    expect(refusal([call('{"a": 1,')])?.message).toContain(
      "line 1, column 9: expected a key in double quotes, found the end",
    );
  });

  it("looks for no call when the history is only ids", () => {
    expect(refusal([result, { role: "tool", content: "" }], { continuing: true })).toBeUndefined();
    expect(refusal([{ role: "tool" }], { continuing: true })).toMatchObject({ code: "invalid_message" });
  });

  it("checks tools too", () => {
    expect(refusal([user], { tools: [{}] as unknown as ToolSpec[] })).toMatchObject({ code: "invalid_tool" });
  });
});

describe("checkMessages, template", () => {
  it("takes what a template takes", () => {
    const odd = [{ role: "wizard" }, result, call("{"), { role: "user", name: 3 }, { role: "user", tool_calls: [{}] }];
    expect(refusal(odd, { validate: "template" })).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [[], "empty_messages"],
    [[null], "invalid_message"],
    [[{ role: 1 }], "invalid_message"],
    [[{ role: "user", content: 1 }], "invalid_message"],
    [[{ role: "assistant", tool_calls: [null] }], "invalid_message"],
  ])("refuses %j, which nothing could render", (messages, code) => {
    expect(refusal(messages, { validate: "template" })).toMatchObject({ code });
  });
});

describe("checkTools", () => {
  const check = (tools: unknown, validate: "strict" | "template" = "strict") => {
    try {
      checkTools(tools as ToolSpec[], { validate });
      return undefined;
    } catch (error) {
      return error as TitoError;
    }
  };

  it("accepts the envelope and the flat form, parameters as a value or text", () => {
    const flat = { name: "f", description: null, parameters: '{"type": "object"}' };
    expect(
      check([flat, { type: "function", function: { name: "f" } }, { name: "f", parameters: parseJson("{}") }]),
    ).toBeUndefined();
    expect(check([])).toBeUndefined();
  });

  it.each<[unknown, string]>([
    ["f", "tools"],
    [["f"], "tools[0]"],
    [[{ name: "f" }, {}], "tools[1].name"],
    [[{ type: "web_search", function: { name: "f" } }], "tools[0].type"],
    [[{ type: "function", function: "f" }], "tools[0].function"],
    [[{ function: { name: "f", parameters: [] } }], "tools[0].function.parameters"],
    [[{ name: "f", parameters: "{" }], "tools[0].parameters"],
    [[{ name: "f", description: 1 }], "tools[0].description"],
  ])("refuses %j at %s", (tools, field) => {
    expect(check(tools)).toMatchObject({ code: "invalid_tool", details: { field } });
  });

  it("takes any object for a template", () => {
    expect(check([{}], "template")).toBeUndefined();
    expect(check([1], "template")).toMatchObject({ code: "invalid_tool", details: { tool: 0 } });
  });
});
