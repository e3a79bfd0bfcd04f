import { describe, expect, test } from "vitest";
import { matches, parseGbnf } from "../../src/gbnf/index.ts";
import { createRenderer, type Renderer, type RendererConfigInput, TitoError } from "../../src/index.ts";
import type { ToolSpec } from "../../src/messages/index.ts";
import { families } from "../../src/renderers/registry.ts";
import { bindRenderer } from "../../src/renderers/renderer.ts";
import type { GrammarOptions } from "../../src/sampler/grammarOptions.ts";
import { checkSegmentPolicy } from "../../src/sampler/policy/checkSegmentPolicy.ts";
import { type SegmentPolicyOptions, segmentPolicy } from "../../src/sampler/policy/segmentPolicy.ts";
import type { SegmentPolicy } from "../../src/sampler/policy/types.ts";
import { familyRenderer } from "../support/families.ts";

const tools: readonly ToolSpec[] = ["get_weather", "get_time"].map((name) => ({
  type: "function",
  function: {
    name,
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}));

const closed = { reasoning: "closed" } as const;
const qwen3 = familyRenderer({ name: "qwen3" });
const policy = (options: Partial<SegmentPolicyOptions> = {}, renderer: Renderer = qwen3) =>
  segmentPolicy(renderer, { tools, prompt: closed, ...options });
const grammarOf = (made: SegmentPolicy): GrammarOptions => made.grammar as GrammarOptions;
const accepts = (made: SegmentPolicy, text: string): boolean => matches(parseGbnf(grammarOf(made).gbnf!), text);

const call = (name = "get_weather") => `<tool_call>\n{"name": "${name}", "arguments": {"city": "Oslo"}}\n</tool_call>`;

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TitoError) return error.code;
    throw error;
  }
  return "none";
}

describe.each([...families.keys()])("%s", (name) => {
  const renderer = familyRenderer({ name } as RendererConfigInput);

  test("has a policy that is data, and passes its own checks", () => {
    const made = policy({}, renderer);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    checkSegmentPolicy(made);
    const { lazy, triggers = [], sleeps, wakes } = grammarOf(made);
    expect({ lazy, sleeps, wakes }).toEqual({ lazy: true, sleeps: "complete", wakes: "outside_reasoning" });
    expect(triggers.length).toBeGreaterThan(0);
  });

  test("has markers that are in what it writes, and in the ids of it", () => {
    const made = policy({}, renderer);
    const { tokenizer, grammar } = renderer;
    const toolCalls = [{ name: "get_weather", argumentsText: '{"city": "Oslo"}', id: "functions.get_weather:0" }];
    const response = { content: "", reasoning: null, toolCalls };
    const stop = grammar.kind === "framed" ? grammar.stopOf?.(response) : undefined;
    const ids = [...tokenizer.encode(grammar.spell(response, false)), stop ?? grammar.stops[0]!];
    const markers = made.toolCallMarkers;
    if (name === "llama-3") expect(markers).toBeNull();
    else {
      const written = ` ${ids.join(" ")} `;
      const idsOf = (text: string) => ` ${[...tokenizer.encode(text)].join(" ")} `;
      const places = [written.indexOf(idsOf(markers!.start)), written.lastIndexOf(idsOf(markers!.end))] as const;
      expect(places[0]).toBeGreaterThanOrEqual(0);
      expect(places[1]).toBeGreaterThan(places[0]);
    }
  });
});

describe("a grammar", () => {
  test("that is lazy is one call's, behind which it waits for the next one", () => {
    const made = policy();
    expect(accepts(made, call())).toBe(true);
    expect(accepts(made, call() + call())).toBe(false);
    expect(accepts(made, `${call()}\n`)).toBe(false);
    expect(accepts(made, call("get_news"))).toBe(false);
    expect(grammarOf(made).triggers).toEqual([
      { kind: "token", id: qwen3.tokenizer.tokenToId("<tool_call>"), text: "<tool_call>" },
    ]);
  });

  test("of a format with sections is one section's", () => {
    const renderer = familyRenderer({ name: "kimi-k2" });
    const made = policy({}, renderer);
    const one = '<|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>{"city":"x"}<|tool_call_end|>';
    expect(accepts(made, `<|tool_calls_section_begin|>${one}${one}<|tool_calls_section_end|>`)).toBe(true);
    expect(accepts(made, `<|tool_calls_section_begin|>${one}`)).toBe(false);
    expect(accepts(made, one)).toBe(false);
  });

  test("without parallel calls goes on to the response's end, and never wakes again", () => {
    const made = policy({ parallelToolCalls: false });
    expect(grammarOf(made).sleeps).toBe("end");
    expect(accepts(made, `${call()}\n`)).toBe(true);
    expect(accepts(made, `${call()}\n${call()}`)).toBe(false);
  });

  test("holds from the start where a call is required", () => {
    for (const toolChoice of ["required", { name: "get_time" }] as const) {
      const made = policy({ toolChoice });
      expect(grammarOf(made).lazy).toBeUndefined();
      expect(accepts(made, call("get_time"))).toBe(true);
      expect(accepts(made, call("get_weather"))).toBe(toolChoice === "required");
      expect(accepts(made, "No.")).toBe(false);
    }
    expect(accepts(policy({ grammar: "always" }), call())).toBe(true);
  });

  test("that is lazy may be of one tool", () => {
    const made = policy({ grammar: "lazy", toolChoice: { type: "function", function: { name: "get_time" } } });
    expect(grammarOf(made).lazy).toBe(true);
    expect([accepts(made, call("get_time")), accepts(made, call("get_weather"))]).toEqual([true, false]);
  });

  test("of open reasoning begins in it", () => {
    const made = policy({ toolChoice: "required", prompt: { reasoning: "open" } });
    expect(accepts(made, `So.\n</think>\n\n${call()}`)).toBe(true);
    expect(accepts(made, call())).toBe(false);
    expect(made.reasoning).toEqual({ start: "<think>", end: "</think>", opened: true });
  });

  test("may be off, any JSON, a response format's, or one's own", () => {
    expect(policy({ grammar: "off" }).grammar).toBeNull();
    expect(policy({ tools: [] }).grammar).toBeNull();
    expect(policy({ toolChoice: "none" })).toMatchObject({ grammar: null, toolCallMarkers: null });
    expect(policy({ grammar: "json" }).grammar).toBe("json");
    const own = { gbnf: 'root ::= "a"' };
    expect(policy({ grammar: own }).grammar).toBe(own);
    const made = policy({ tools: null, responseFormat: { type: "json_schema", schema: { type: "integer" } } });
    expect([accepts(made, "12"), accepts(made, "x")]).toEqual([true, false]);
  });

  test("of gpt-oss takes every order in which models write a header", () => {
    const made = policy({}, familyRenderer({ name: "gpt-oss" }));
    expect(grammarOf(made).triggers).toEqual([{ kind: "word", text: "to=functions." }]);
    const headers = [
      "<|channel|>commentary<|message|>",
      " <|constrain|>json<|message|>",
      "<|channel|>commentary json<|message|>",
    ];
    for (const header of headers) expect(accepts(made, `to=functions.get_time${header}{"city":"Oslo"}`)).toBe(true);
    expect(accepts(made, 'to=functions.get_news<|message|>{"city":"Oslo"}')).toBe(false);
  });
});

describe("what is derived", () => {
  test("can be overridden", () => {
    const toolCallMarkers = { start: "<a>", end: "</a>" };
    const reasoning = { start: null, end: "x", opened: false };
    const made = policy({ toolCallMarkers, reasoning, payload: null, greedy: "span" });
    expect(made).toMatchObject({ toolCallMarkers, reasoning, payload: null, greedy: "span" });
    expect(policy({ toolCallMarkers: null, reasoning: null })).toMatchObject({
      toolCallMarkers: null,
      reasoning: null,
    });
  });

  test("of a template is as of a family", () => {
    const template =
      "{%- for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% if m.tool_calls %}{% for c in m.tool_calls %}\n<tool_call>\n" +
      '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}{% endif %}<|im_end|>\n{% endfor %}' +
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}{% if tools %}{{ tools | tojson }}{% endif %}";
    const renderer = createRenderer(qwen3.tokenizer, {
      name: "default",
      template,
    } as RendererConfigInput);
    const made = policy({}, renderer);
    const { toolCallMarkers, payload, grammar } = policy();
    expect(made).toMatchObject({ toolCallMarkers, payload });
    expect(grammarOf(made).triggers).toEqual((grammar as GrammarOptions).triggers);
    expect(accepts(made, call())).toBe(true);
  });

  test("is refused where a format has no calls, or none that a text begins", () => {
    const format = families.get("qwen3")!.bind(qwen3.tokenizer, qwen3.config);
    const silent = bindRenderer(qwen3.tokenizer, qwen3.config, {
      ...format,
      grammar: { ...format.grammar, calls: null } as typeof format.grammar,
    });
    expect(codeOf(() => policy({}, silent))).toBe("tools_unsupported");
    expect(codeOf(() => policy({ grammar: "off", greedy: "span" }, silent))).toBe("tools_unsupported");
    expect(policy({ grammar: "off" }, silent)).toMatchObject({ toolCallMarkers: null, payload: null, grammar: null });
    const llama = familyRenderer({ name: "llama-3" });
    expect(codeOf(() => policy({ greedy: "syntax" }, llama))).toBe("tools_unsupported");
  });

  test("is refused where the request contradicts itself", () => {
    expect(codeOf(() => policy({ responseFormat: { type: "json_object" } }))).toBe("invalid_request");
    expect(codeOf(() => policy({ tools: [], toolChoice: "required" }))).toBe("tool_choice_unknown");
    expect(codeOf(() => policy({ toolChoice: { name: "get_news" } }))).toBe("tool_choice_unknown");
    expect(codeOf(() => policy({ grammar: "lazy", toolChoice: { name: "get_news" } }))).toBe("tool_choice_unknown");
  });
});

describe("a policy by hand is checked", () => {
  const span = { start: "<a>", end: "</a>" };
  test.each<readonly [string, unknown]>([
    ["none", {}],
    ["none", { toolCallMarkers: { ...span, payloadStart: "<p>", payloadEnd: "</p>" }, greedy: "syntax" }],
    ["none", { reasoning: { start: null, alsoStarts: ["<t>"], end: "</t>", opened: true }, grammar: "json" }],
    ["marker_missing_end", { toolCallMarkers: { start: "<a>" } }],
    ["marker_missing_end", { toolCallMarkers: { end: "</a>" } }],
    ["marker_missing_end", { reasoning: { start: "<t>", opened: false } }],
    ["marker_missing_end", { payload: { kind: "tags", values: [{ open: ">", close: "" }] } }],
    ["marker_payload_alone", { toolCallMarkers: { ...span, payloadStart: "<p>" } }],
    ["marker_payload_alone", { toolCallMarkers: { ...span, payloadEnd: "</p>" } }],
    ["marker_empty", { toolCallMarkers: { start: "", end: "</a>" } }],
    ["marker_empty", { toolCallMarkers: { ...span, payloadStart: "", payloadEnd: "</p>" } }],
    ["marker_empty", { reasoning: { start: "", end: "</t>", opened: false } }],
    ["marker_empty", { payload: { kind: "tags", values: [{ open: "", close: "</p>" }] } }],
    ["marker_equal", { toolCallMarkers: { ...span, payloadStart: "<a>", payloadEnd: "</p>" } }],
    ["marker_equal", { toolCallMarkers: { ...span, payloadStart: "<p>", payloadEnd: "</a>" } }],
    ["marker_equal", { toolCallMarkers: span, reasoning: { start: "<a>", end: "</t>", opened: false } }],
    ["gbnf_syntax", { grammar: { gbnf: "root ::= (" } }],
    ["grammar_without_triggers", { grammar: { gbnf: 'root ::= "a"', lazy: true } }],
    ["sampler_option", { greedy: "always" }],
    ["sampler_option", { markers: span }],
    ["sampler_option", { payload: { kind: "xml" } }],
    ["sampler_option", { payload: { kind: "json", within: "arguments" } }],
    ["sampler_option", { toolCallMarkers: "<a>" }],
    ["sampler_option", { reasoning: { start: null, end: "</t>" } }],
  ])("%s: %j", (code, made) => {
    expect(codeOf(() => checkSegmentPolicy(made as SegmentPolicy))).toBe(code);
  });
});
