import { describe, expect, test } from "vitest";
import {
  createRenderer,
  type Message,
  type Renderer,
  rendererIdentity,
  TitoError,
  ToolCallStore,
  type ToolSpec,
} from "../../src/index.ts";
import { shapeRenderer, shapes } from "../support/chatTemplates.ts";
import { familyRenderer } from "../support/families.ts";
import { tokenizer as qwenTokenizer } from "../support/qwen3.ts";

const parameters = { type: "object", properties: { q: { type: "string" }, all: { type: "boolean" } } };
const tools: readonly ToolSpec[] = [
  { type: "function", function: { name: "search", description: "Finds.", parameters } },
];
const user: Message = { role: "user", content: "hi" };
const options = { tools, addGenerationPrompt: true } as const;
const qwen3 = familyRenderer({ name: "qwen3" });

/** A turn sampled and recorded, and the client's history with its results. */
function sample(renderer: Renderer, text: string, store = new ToolCallStore(), before: readonly Message[] = [user]) {
  const prompt = renderer.renderIds(before, { ...options, replay: store });
  const completion = renderer.tokenizer.encode(text);
  const { message } = store.record(completion, { renderer, prompt, tools });
  const calls = message.tool_calls ?? [];
  const results = calls.map(({ id }): Message => ({ role: "tool", tool_call_id: id ?? "", content: "r" }));
  return { store, prompt, completion, message, results, history: [...before, message, ...results] };
}

const startsWith = (all: Int32Array, start: readonly number[]): boolean => start.every((id, i) => all[i] === id);
const reasons = (renderer: Renderer, history: readonly Message[], replay: ToolCallStore) =>
  renderer.render(history, { ...options, replay }).replay?.notReplayed.map(({ reason }) => reason);

const call = (args: string, think = "Hm.") =>
  `<think>\n${think}\n</think>\n\n<tool_call>\n{"name": "search", "arguments": ${args}}\n</tool_call><|im_end|>`;

describe("what comes back from a client", () => {
  test("is known by its values, not by its text", () => {
    const { store, prompt, completion, message, results } = sample(qwen3, call('{ "q":"\\u00e9",  "all": true }'));
    const [one] = message.tool_calls ?? [];
    const printed = { ...one, function: { name: "search", arguments: '{"all":true,"q":"é"}' } };
    const { tokenIds, replay } = qwen3.render([user, { ...message, tool_calls: [printed] }, ...results], {
      ...options,
      replay: store,
    });
    expect(startsWith(tokenIds, [...prompt, ...completion])).toBe(true);
    expect(replay?.turns).toEqual([{ message: 1, tokenSpan: [prompt.length, prompt.length + completion.length] }]);
  });

  test("is rendered as it came, where words or thoughts are other ones; the call stays as sampled", () => {
    const { store, history, message } = sample(qwen3, call('{"q":"x"}'));
    const edited = history.map((one) => (one === message ? { ...one, content: "I looked." } : one));
    const { tokenIds, replay } = qwen3.render(edited, { ...options, replay: store });
    expect(replay?.turns).toEqual([]);
    expect(replay?.replayed).toHaveLength(1);
    const text = qwen3.tokenizer.decode(tokenIds);
    expect(text).toContain(
      'Hm.\n</think>\n\nI looked.\n<tool_call>\n{"name": "search", "arguments": {"q":"x"}}\n</tool_call>',
    );
  });

  test("may come without thoughts: they are rendered where they are asked for, and whole turns are whole again", () => {
    const { store, history, prompt, completion } = sample(qwen3, call('{"q":"x"}'));
    const without = history.map(({ reasoning_content: _, ...message }) => message);
    const sent = qwen3.render(without, { ...options, replay: store });
    expect([sent.replay?.turns.length, sent.replay?.replayed.length]).toEqual([0, 1]);
    const recorded = qwen3.render(without, { ...options, replay: { store, reasoning: "recorded" } });
    expect(startsWith(recorded.tokenIds, [...prompt, ...completion])).toBe(true);
    const later: Message[] = [...without, { role: "assistant", content: "Done." }, { role: "user", content: "More." }];
    const dropped = qwen3.render(later, { ...options, replay: { store, reasoning: "recorded" } });
    // The template drops earlier thinking there, and so does the replay.
    expect(qwen3.tokenizer.decode(dropped.tokenIds)).not.toContain("Hm.");
    expect([dropped.replay?.turns.length, dropped.replay?.replayed.length]).toEqual([0, 1]);
  });

  test("may hold calls that are not known beside such that are", () => {
    const two = `${call('{"q":"x"}').replace("<|im_end|>", "")}\n<tool_call>\n{"name":"search","arguments":{"q":"y"}}\n</tool_call><|im_end|>`;
    const { store, history, message } = sample(qwen3, two);
    store.delete(message.tool_calls?.[0]?.id ?? "");
    const { replay } = qwen3.render(history, { ...options, replay: store });
    expect(replay?.replayed).toMatchObject([{ message: 1, call: 1 }]);
    expect(replay?.notReplayed).toMatchObject([{ message: 1, call: 0, reason: "unknown_id" }]);
  });

  test("is not replayed for other models, without an id, or changed", () => {
    const { store, history, message } = sample(qwen3, call('{"q":"x"}'));
    const byTemplate = createRenderer(qwen3.tokenizer, {
      name: "default",
      template: shapes.thinking.template,
      toolParser: "hermes",
    });
    expect(reasons(byTemplate, history, store)).toEqual(["other_family"]);
    const other = createRenderer(qwenTokenizer, { name: "qwen3" });
    const isOther = rendererIdentity(other).vocabulary !== rendererIdentity(qwen3).vocabulary;
    expect([isOther, reasons(other, history, store)]).toEqual([true, ["other_tokenizer"]]);
    const edited = (edit: object) =>
      history.map((one) => (one === message ? { ...one, tool_calls: [{ ...one.tool_calls?.[0], ...edit }] } : one));
    expect(
      reasons(qwen3, edited({ function: { name: "search", arguments: '{"q":"y"}' } }) as Message[], store),
    ).toEqual(["changed"]);
    const nameless = edited({ id: null }).filter(({ role }) => role !== "tool") as Message[];
    expect(reasons(qwen3, nameless, store)).toEqual(["no_id"]);
  });

  test("is not replayed where the stored bytes are not those of the ids", () => {
    const { store, history, message } = sample(qwen3, call('{"q":"x"}'));
    const id = message.tool_calls?.[0]?.id ?? "";
    for (const bytes of [Uint8Array.of(1), new Uint8Array(0)]) {
      store.put(id, { ...store.get(id)!, bytes });
      expect(reasons(qwen3, history, store)).toEqual(["other_tokenizer"]);
    }
    store.put(id, { ...store.get(id)!, ids: Int32Array.of(-1, 2 ** 31 - 1), bytes: new Uint8Array(0) });
    expect(qwen3.renderIds(history, { ...options, replay: store })).toEqual(qwen3.renderIds(history, options));
  });
});

describe("a call that a host stores itself", () => {
  const body = '<tool_call>\n{"arguments": {"q": "x"}, "name": "search"}\n</tool_call>';
  const message: Message = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "mine", type: "function", function: { name: "search", arguments: '{"q":"x"}' } }],
  };
  const history: Message[] = [user, message, { role: "tool", tool_call_id: "mine", content: "r" }];
  const stored = (text: string) => {
    const ids = qwen3.tokenizer.encode(text);
    const bytes = qwen3.tokenizer.decodeBytes(ids);
    return { ...rendererIdentity(qwen3), name: "search", argumentsText: '{"q": "x"}', ids, bytes };
  };

  test("needs no more than its ids and what it says", () => {
    const store = new ToolCallStore();
    store.put("mine", stored(body));
    const { tokenIds, replay } = qwen3.render(history, { ...options, replay: store });
    expect(replay?.replayed).toHaveLength(1);
    expect(qwen3.tokenizer.decode(tokenIds)).toContain(body);
  });

  test.each([
    ["says something else", body.replace('"x"', '"y"')],
    ["is no call", "just words"],
    ["says more than the call", `${body} and more`],
    ["is two", `${body}\n${body}`],
    ["ends the turn", `${body}<|im_end|>`],
  ])("is rendered anew if what is stored %s", (_, text) => {
    const store = new ToolCallStore();
    store.put("mine", stored(text));
    const { replay, ...rendered } = qwen3.render(history, { ...options, replay: store });
    expect(rendered).toEqual(qwen3.render(history, options));
    expect(replay?.notReplayed).toMatchObject([{ id: "mine", reason: "not_placed" }]);
  });
});

describe("formats of their own", () => {
  test("ids of the wire format stand in the prompt, whatever the client calls them", () => {
    const renderer = familyRenderer({ name: "kimi-k2" });
    const text =
      "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{ }<|tool_call_end|><|tool_calls_section_end|><|im_end|>";
    const { store, history, message, prompt, completion } = sample(renderer, text);
    expect(message.tool_calls?.[0]?.id).toMatch(/^call_[0-9a-f]{32}$/);
    const rendered = renderer.tokenizer.decode(renderer.renderIds(history, { ...options, replay: store }));
    expect(rendered.startsWith(renderer.tokenizer.decode([...prompt, ...completion]))).toBe(true);
    expect(rendered).toContain("## Return of functions.search:0");
    expect(rendered).not.toMatch(/call_[0-9a-f]{32}/);
  });

  test("a boolean that was sampled as false stays false", () => {
    const renderer = familyRenderer({ name: "qwen3.5" });
    const { store, history } = sample(
      renderer,
      "hm\n</think>\n\n<tool_call>\n<function=search>\n<parameter=all>\nfalse\n</parameter>\n</function>\n</tool_call><|im_end|>",
    );
    expect(renderer.tokenizer.decode(renderer.renderIds(history, options))).toContain("\nFalse\n");
    for (const given of [tools, null]) {
      const ids = renderer.renderIds(history, { addGenerationPrompt: true, tools: given, replay: store });
      expect(renderer.tokenizer.decode(ids)).toContain("\nfalse\n");
    }
  });

  const header = "<|channel|>commentary <|constrain|>json<|message|>";
  test.each([
    [
      "behind the analysis",
      `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.search${header}{ }<|call|>`,
    ],
    ["first", ` to=functions.search${header}{ }<|call|>`],
    [
      "with the recipient behind the channel",
      "<|channel|>commentary to=functions.search <|constrain|>json<|message|>{ }<|call|>",
    ],
  ])("Harmony's messages are opened once: a call %s", (_, text) => {
    const renderer = familyRenderer({ name: "gpt-oss" });
    const { store, history, message, prompt, completion, results } = sample(renderer, text);
    expect(startsWith(renderer.renderIds(history, { ...options, replay: store }), [...prompt, ...completion])).toBe(
      true,
    );
    const own = text.slice(
      text.lastIndexOf("<|start|>assistant") < 0 ? 0 : text.lastIndexOf("<|start|>assistant") + 18,
    );
    const said = [user, { ...message, content: "I look." }, ...results];
    const later: Message[] = [...history, { role: "assistant", content: "Done." }, user];
    for (const changed of [said, later]) {
      const { tokenIds, replay } = renderer.render(changed, { ...options, replay: store });
      expect(replay?.replayed).toHaveLength(1);
      expect(renderer.tokenizer.decode(tokenIds)).toContain(`<|start|>assistant${own}<|start|>functions.search`);
    }
  });

  test("neighbouring calls that share a token keep it", () => {
    const template = shapes.thinking.template.replaceAll("<tool_call>", "<call>").replaceAll("</tool_call>", "</call>");
    const renderer = shapeRenderer(shapes.thinking, { template });
    const { tokenizer } = renderer;
    const two =
      '{"name": "search", "arguments": {"q": "x"}}\n</call>\n<call>\n{"name": "search", "arguments": {"q":"y"}}\n</call>';
    const { store, history, completion } = sample(renderer, `Hm.\n</think>\n\n<call>\n${two}<|im_end|>`);
    const { tokenIds, replay } = renderer.render(history, { ...options, replay: store });
    expect(replay?.replayed).toHaveLength(2);
    expect(tokenizer.decode(tokenIds)).toContain(two);
    expect(tokenIds.join(" ")).toContain(completion.join(" "));
  });
});

describe("mistakes", () => {
  test.each([[{}], [{ store: {} }], ["store"], [{ store: new Map(), reasoning: "all" }]])(
    "replay: %j is refused",
    (replay) => {
      expect(() => qwen3.render([user], { replay: replay as never })).toThrow(TitoError);
    },
  );

  test("an id that is not new is refused", () => {
    const completion = qwen3.tokenizer.encode(
      `${call("{}")}`.replace("<|im_end|>", '\n<tool_call>\n{"name":"search","arguments":{}}\n</tool_call>'),
    );
    const prompt = qwen3.renderIds([user], options);
    const record = () =>
      new ToolCallStore().record(completion, { renderer: qwen3, prompt, tools, mintId: () => "one" });
    expect(record).toThrow(/mintId: expected a new id/);
  });

  test("messages that are none are the renderer's to refuse", () => {
    const store = new ToolCallStore();
    for (const messages of [
      null,
      [null],
      [{ role: "assistant", tool_calls: [null] }],
      [{ role: "assistant", tool_calls: {} }],
    ])
      expect(() => qwen3.render(messages as never, { replay: store })).toThrow(TitoError);
  });

  test("any ids at all are recorded without an error", () => {
    const { vocabSize } = qwen3.tokenizer;
    const ids = [...qwen3.tokenizer.encode("<tool_call>"), -1, vocabSize, vocabSize + 70, 2 ** 31 - 1];
    const { parsed } = new ToolCallStore().record(ids, { renderer: qwen3, prompt: { reasoning: "closed" }, tools });
    expect(parsed).toEqual(qwen3.parseResponse(ids, { prompt: { reasoning: "closed" }, tools }));
  });
});
