import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, type JsonInput, type Message, parseJson, pythonJson } from "../../messages/index.ts";
import { capabilities } from "../capabilities/index.ts";
import type { TemplateCapabilities } from "../capabilities/types.ts";
import { compileTemplate } from "../template.ts";
import { adaptMessages } from "./adaptMessages.ts";

const everything: TemplateCapabilities = {
  supportsTools: true,
  supportsToolCalls: true,
  supportsParallelToolCalls: true,
  supportsObjectArguments: true,
  supportsSystemRole: true,
  supportsStringContent: true,
  supportsTypedContent: true,
  supportsPreserveReasoning: true,
  supportsReasoningEffort: true,
  requiresNonnullContent: false,
};

const anyCapabilities: fc.Arbitrary<TemplateCapabilities> = fc.record(
  Object.fromEntries(Object.keys(everything).map((name) => [name, fc.boolean()])),
) as unknown as fc.Arbitrary<TemplateCapabilities>;

const text = fc.string({ maxLength: 6 });
const textPart = fc.record({ type: fc.constant("text" as const), text });
const imagePart = fc.constant({ type: "image_url", image_url: { url: "data:," } });
const content = fc.oneof(text, fc.constant(null), fc.array(fc.oneof(textPart, imagePart), { maxLength: 3 }));
const json = fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }) as fc.Arbitrary<JsonInput>;
const args = fc.oneof(
  json,
  json.map((value) => pythonJson(value)),
  fc.constantFrom("", "{", "[1]", "1.0"),
);
const call = fc.oneof(
  fc.record({ id: text, function: fc.record({ name: text, arguments: args }) }),
  fc.record({ id: text, name: text, arguments: args }),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "developer", "user", "assistant", "tool"), content }),
  fc.record(
    { role: fc.constant("assistant"), content, tool_calls: fc.array(call, { maxLength: 2 }) },
    { requiredKeys: ["role", "tool_calls"] },
  ),
);
const conversation = fc.array(message, { maxLength: 6 });

const systemless = { ...everything, supportsSystemRole: false };
const typedOnly = { ...everything, supportsStringContent: false };
const stringsOnly = { ...everything, supportsTypedContent: false };
const textArguments = { ...everything, supportsObjectArguments: false };

function withArguments(given: JsonInput): Message {
  return { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: given } }] };
}

describe("adaptMessages", () => {
  test("twice is once", () => {
    fc.assert(
      fc.property(conversation, anyCapabilities, (messages, found) => {
        const once = adaptMessages(messages, found);
        const twice = adaptMessages(once.messages, found);
        expect(twice.changes).toEqual([]);
        expect(twice.messages).toBe(once.messages);
      }),
    );
  });

  test("what needs no change is the same object; every other one is told of, and the input is left alone", () => {
    fc.assert(
      fc.property(conversation, anyCapabilities, (messages, found) => {
        const before = structuredClone(messages);
        const adapted = adaptMessages(messages, found);
        expect(messages).toEqual(before);
        expect(adapted.messageIndices).toHaveLength(adapted.messages.length);
        const told = new Set(adapted.changes.map((change) => change.messageIndex));
        const folds = adapted.changes.some((change) => change.field === "role");
        adapted.messages.forEach((one, at) => {
          const index = adapted.messageIndices[at]!;
          if (one !== messages[index]) expect(told.has(index) || (folds && one.role === "user")).toBe(true);
        });
        for (const change of adapted.changes) expect(change.message).toMatch(`messages[${change.messageIndex}].`);
      }),
    );
  });

  test("a template that takes everything gets what was passed, but for arguments in JSON text", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const adapted = adaptMessages(messages, everything);
        expect(adapted.changes.filter((change) => change.field !== "tool_calls")).toEqual([]);
        if (adapted.changes.length === 0) expect(adapted.messages).toBe(messages);
      }),
    );
  });

  test("strings and lists of one part are the same thing, there and back", () => {
    fc.assert(
      fc.property(text, (given) => {
        const messages: Message[] = [{ role: "user", content: given }];
        const typed = adaptMessages(messages, typedOnly).messages;
        expect(typed).toEqual([{ role: "user", content: [{ type: "text", text: given }] }]);
        expect(adaptMessages(typed, stringsOnly).messages).toEqual(messages);
      }),
    );
  });

  test("arguments as text and as an object are the same thing, there and back", () => {
    fc.assert(
      fc.property(json, (value) => {
        const asText = adaptMessages([withArguments(value)], textArguments).messages;
        expect(asText).toEqual([withArguments(pythonJson(value))]);
        const asObject = adaptMessages(asText, everything).messages;
        expect(equalJson(asObject[0]!.tool_calls![0]!.function!.arguments as JsonInput, value)).toBe(true);
        expect(adaptMessages(asObject, textArguments).messages).toEqual(asText);
      }),
    );
  });

  test("without a system role no word of it is lost, and no user's", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const { messages: folded } = adaptMessages(messages, systemless);
        const words = (of: readonly Message[], keep: (role: string) => boolean) =>
          JSON.stringify(of.filter((one) => keep(one.role)).map((one) => one.content ?? ""));
        expect(folded.filter((one) => one.role === "system" || one.role === "developer")).toEqual([]);
        const others = (role: string) => role === "assistant" || role === "tool";
        expect(words(folded, others)).toBe(words(messages, others));
        const all = JSON.stringify(folded);
        for (const { role, content } of messages) {
          if (typeof content === "string" && !others(role)) expect(all).toContain(JSON.stringify(content).slice(1, -1));
        }
      }),
    );
  });
});

describe("system messages", () => {
  const fold = (...messages: Message[]) => adaptMessages(messages, systemless);

  test("go in front of the next user message", () => {
    const { messages, messageIndices, changes } = fold(
      { role: "system", content: "a" },
      { role: "developer", content: "b" },
      { role: "user", content: "c" },
    );
    expect(messages).toEqual([{ role: "user", content: "a\n\nb\n\nc" }]);
    expect(messageIndices).toEqual([2]);
    expect(changes.map((change) => change.message)).toEqual([
      "messages[0].role: the system message was put in front of the next user message: no system role",
      "messages[1].role: the developer message was put in front of the next user message: no system role",
    ]);
  });

  test("late ones go behind the user before them, or stand as a user's", () => {
    const user: Message = { role: "user", content: "c" };
    const assistant: Message = { role: "assistant", content: "d" };
    const system: Message = { role: "system", content: "s" };
    expect(fold(user, system, assistant).messages).toEqual([{ role: "user", content: "c\n\ns" }, assistant]);
    expect(fold(user, assistant, system).messages).toEqual([user, assistant, { role: "user", content: "s" }]);
    expect(fold(system).messages).toEqual([{ role: "user", content: "s" }]);
  });

  test("empty ones go", () => {
    const user: Message = { role: "user", content: "c" };
    const { messages, changes } = fold({ role: "system", content: "" }, user);
    expect(messages[0]).toBe(user);
    expect(changes).toHaveLength(1);
  });

  test("go before the parts of a user message", () => {
    const image = { type: "image_url", image_url: { url: "data:," } };
    const { messages } = fold({ role: "system", content: "s" }, { role: "user", content: [image] });
    expect(messages[0]!.content).toEqual([{ type: "text", text: "s" }, { type: "text", text: "\n\n" }, image]);
  });
});

describe("content and arguments", () => {
  test("null and missing content becomes an empty text, in the form that the template reads", () => {
    const messages: Message[] = [{ role: "assistant", content: null }, { role: "assistant" }];
    const found = { ...everything, requiresNonnullContent: true };
    expect(adaptMessages(messages, found).messages.map((one) => one.content)).toEqual(["", ""]);
    const typed = adaptMessages(messages, { ...typedOnly, requiresNonnullContent: true });
    expect(typed.messages.map((one) => one.content)).toEqual([
      [{ type: "text", text: "" }],
      [{ type: "text", text: "" }],
    ]);
  });

  test("a list with an image stays one", () => {
    const messages: Message[] = [{ role: "user", content: [{ type: "image", image: "x" }] }];
    expect(adaptMessages(messages, stringsOnly).messages).toBe(messages);
  });

  test("number text and the order of keys are kept", () => {
    const given = '{"2": 1.0, "1": 12345678901234567890, "x": [1e-7]}';
    const read = adaptMessages([withArguments(given)], everything).messages[0]!.tool_calls![0]!.function!.arguments;
    expect(read).toEqual(parseJson(given));
    expect(adaptMessages([withArguments(read as JsonInput)], textArguments).messages).toEqual([
      withArguments(given.replace("1e-7", "1e-07")),
    ]);
  });

  test("text that is no JSON object stays as it is", () => {
    for (const given of ["", "{", "[1]", "2", "null"]) {
      const messages = [withArguments(given)];
      expect(adaptMessages(messages, everything).messages).toBe(messages);
    }
  });

  test("the place of a change is said", () => {
    const flat: Message = { role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}" }] };
    const { changes } = adaptMessages([withArguments("{}"), flat], everything);
    expect(changes.map(({ messageIndex, field, message }) => [messageIndex, field, message])).toEqual([
      [0, "tool_calls", expect.stringMatching(/^messages\[0\]\.tool_calls\[0\]\.function\.arguments: /)],
      [1, "tool_calls", expect.stringMatching(/^messages\[1\]\.tool_calls\[0\]\.arguments: /)],
    ]);
  });
});

describe("templates write what was adapted for them", () => {
  const messages: Message[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: [{ function: { name: "f", arguments: '{"a": 1.0}' } }] },
  ];

  test.each([
    [
      "no system role, only lists",
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}<{{ m.role }}>{{ m.content[0].text }}" +
        "{% for c in m.tool_calls or [] %}{{ c.function.name }}{% for k, v in c.function.arguments | items %}({{ k }}={{ v }}){% endfor %}{% endfor %}{% endfor %}",
      "<user>Be brief.\n\nHi<assistant>f(a=1.0)",
    ],
    [
      "only text",
      "{% for m in messages %}<{{ m.role }}>{{ m.content + '' }}{% for c in m.tool_calls or [] %}{{ c.function.name + c.function.arguments }}{% endfor %}{% endfor %}",
      '<system>Be brief.<user>Hi<assistant>f{"a": 1.0}',
    ],
  ])("%s", (_, text, expected) => {
    const template = compileTemplate(text);
    const adapted = adaptMessages(messages, capabilities(template));
    expect(template.render({ messages: adapted.messages as unknown as JsonInput })).toBe(expected);
  });
});
