import type { JsonType, ResponseLayout, ValueForm, ValueWriting } from "../../src/parse/index.ts";

const style = { itemSeparator: ", ", keySeparator: ": ", indent: null } as const;
const others: readonly JsonType[] = ["number", "integer", "boolean", "null", "array", "object"];

const text = (written: string) => ({ kind: "text", text: written }) as const;
const object = (name: string, args: string) =>
  ({
    kind: "object",
    name: [name],
    arguments: [args],
    id: null,
    order: [{ key: name }, { key: args }],
    style,
  }) as const;
/** Strings without quotes, everything else in another writing, the same texts around both. */
const mixed = (between: string, suffix: string, writing: ValueWriting = { kind: "json" }): readonly ValueForm[] => [
  { types: ["string"], between, suffix, writing: { kind: "raw" } },
  { types: others, between, suffix, writing },
];
const thinking = { mode: "tag_based", open: "<think>\n", close: "\n</think>\n\n" } as const;
const plain = { mode: "plain", open: "", close: "" } as const;

const qwen3: ResponseLayout = {
  reasoning: { ...thinking, empty: "<think>\n\n</think>\n\n" },
  content: plain,
  calls: {
    lead: "\n",
    section: null,
    separator: "\n",
    call: [text("<tool_call>\n"), object("name", "arguments"), text("\n</tool_call>")],
    parallel: true,
  },
  end: "",
  glue: [],
};

const qwen3Coder: ResponseLayout = {
  reasoning: null,
  content: plain,
  calls: {
    lead: "\n\n",
    section: null,
    separator: "\n",
    call: [
      text("<tool_call>\n<function="),
      { kind: "name" },
      text(">\n"),
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: "<parameter=",
        separator: "",
        values: mixed(">\n", "\n</parameter>\n"),
      },
      text("</function>\n</tool_call>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const glm47: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<think>", close: "</think>" },
  content: plain,
  calls: {
    lead: "",
    section: null,
    separator: "",
    call: [
      text("<tool_call>"),
      { kind: "name" },
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: "<arg_key>",
        separator: "",
        values: mixed("</arg_key><arg_value>", "</arg_value>"),
      },
      text("</tool_call>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const seedOss: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<seed:think>", close: "</seed:think>\n" },
  content: plain,
  calls: {
    lead: "\n\n",
    section: null,
    separator: "\n",
    call: [
      text("<seed:tool_call>\n<function="),
      { kind: "name" },
      text(">\n"),
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: "<parameter=",
        separator: "",
        values: mixed(">", "</parameter>\n", { kind: "python" }),
      },
      text("</function>\n</seed:tool_call>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const apertus: ResponseLayout = {
  reasoning: null,
  content: plain,
  calls: {
    lead: "",
    section: { open: "<|tools_prefix|>[", close: "]<|tools_suffix|>" },
    separator: ", ",
    call: [{ kind: "object", name: [], arguments: [], id: null, order: [], style }],
    parallel: true,
  },
  end: "",
  glue: [],
};

const kimiK2: ResponseLayout = {
  reasoning: null,
  content: plain,
  calls: {
    lead: "",
    section: { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>" },
    separator: "",
    call: [
      text("<|tool_call_begin|>"),
      { kind: "id", namesFunction: true },
      text("<|tool_call_argument_begin|>"),
      { kind: "json" },
      text("<|tool_call_end|>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const mistralSmall: ResponseLayout = {
  reasoning: null,
  content: { ...plain, droppedWithCalls: true },
  calls: {
    lead: "",
    section: null,
    separator: "",
    call: [text("[TOOL_CALLS]"), { kind: "name" }, text("[CALL_ID]"), { kind: "id" }, text("[ARGS]"), { kind: "json" }],
    parallel: true,
  },
  end: "",
  glue: [],
};

const deepseekV31: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<think>", close: "</think>" },
  content: plain,
  calls: {
    lead: "",
    section: { open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>" },
    separator: "",
    call: [
      text("<｜tool▁call▁begin｜>"),
      { kind: "name" },
      text("<｜tool▁sep｜>"),
      { kind: "json" },
      text("<｜tool▁call▁end｜>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const minimaxM2: ResponseLayout = {
  reasoning: thinking,
  content: plain,
  calls: {
    lead: "\n",
    leadAlone: "\n",
    section: { open: "<minimax:tool_call>\n", close: "\n</minimax:tool_call>" },
    separator: "\n",
    call: [
      text('<invoke name="'),
      { kind: "name" },
      text('">\n'),
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: '<parameter name="',
        separator: "",
        values: mixed('">', "</parameter>\n"),
      },
      text("</invoke>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const ns = "]<]minimax[>[";
const minimaxM3: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<mm:think>", close: "</mm:think>", empty: "</mm:think>" },
  content: plain,
  calls: {
    lead: "",
    section: { open: `${ns}<tool_call>\n`, close: `\n${ns}</tool_call>` },
    separator: "\n",
    call: [
      text(`${ns}<invoke name="`),
      { kind: "name" },
      text('">'),
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: `${ns}<`,
        separator: "",
        values: [
          { types: ["string"], between: ">", suffix: `${ns}</{name}>`, writing: { kind: "raw" } },
          {
            types: ["array", "object"],
            between: ">",
            suffix: `${ns}</{name}>`,
            writing: { kind: "elements", item: "item" },
          },
          {
            types: ["number", "integer", "boolean", "null"],
            between: ">",
            suffix: `${ns}</{name}>`,
            writing: { kind: "json" },
          },
        ],
      },
      text(`${ns}</invoke>`),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const lfm25: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<think>", close: "</think>" },
  content: plain,
  calls: {
    lead: "",
    section: { open: "<|tool_call_start|>[", close: "]<|tool_call_end|>" },
    separator: ", ",
    call: [
      { kind: "name" },
      {
        kind: "tagged",
        open: "(",
        close: ")",
        namePrefix: "",
        separator: ", ",
        values: [
          { types: ["string"], between: "='", suffix: "'", writing: { kind: "raw" } },
          { types: others, between: "=", suffix: "", writing: { kind: "literal" } },
        ],
      },
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const gemma4: ResponseLayout = {
  reasoning: { mode: "tools_only", open: "<|channel>thought\n", close: "\n<channel|>", repeats: true },
  content: { ...plain, afterCalls: true },
  calls: {
    lead: "",
    section: null,
    separator: "",
    call: [
      text("<|tool_call>call:"),
      { kind: "name" },
      {
        kind: "tagged",
        open: "{",
        close: "}",
        namePrefix: "",
        separator: ",",
        sorted: true,
        values: [
          {
            types: ["string", ...others],
            between: ":",
            suffix: "",
            writing: { kind: "literal", quote: '<|"|>', bareKeys: true },
          },
        ],
      },
      text("<tool_call|>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const commandR7b: ResponseLayout = {
  reasoning: { mode: "tools_only", open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  content: { mode: "always_wrapped", open: "<|START_RESPONSE|>", close: "<|END_RESPONSE|>", droppedWithCalls: true },
  calls: {
    lead: "",
    section: { open: "<|START_ACTION|>[\n    ", close: "\n]<|END_ACTION|>" },
    separator: ",\n    ",
    call: [
      {
        kind: "object",
        name: ["tool_name"],
        arguments: ["parameters"],
        id: ["tool_call_id"],
        idIs: "index",
        order: [{ key: "tool_call_id" }, { key: "tool_name" }, { key: "parameters" }],
        style,
      },
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

const llama31: ResponseLayout = {
  reasoning: null,
  content: { ...plain, droppedWithCalls: true },
  calls: {
    lead: "",
    section: null,
    separator: "",
    call: [object("name", "parameters")],
    parallel: false,
    bare: true,
  },
  end: "",
  glue: [],
};

const functionary32: ResponseLayout = {
  reasoning: null,
  content: { mode: "always_wrapped", open: "all\n", close: "" },
  calls: {
    lead: ">>>",
    section: null,
    separator: ">>>",
    call: [{ kind: "name" }, text("\n"), { kind: "json" }],
    parallel: true,
  },
  end: "",
  glue: [">>>"],
};

const gptOss: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<|channel|>analysis<|message|>", close: "<|end|><|start|>assistant" },
  content: {
    mode: "always_wrapped",
    open: "<|channel|>final<|message|>",
    close: "",
    alsoOpens: ["<|channel|>commentary<|message|>"],
    droppedWithCalls: true,
  },
  calls: {
    lead: "<|end|><|start|>assistant",
    section: null,
    separator: "<|call|><|start|>assistant",
    call: [text(" to=functions."), { kind: "name" }, text("<|channel|>commentary json<|message|>"), { kind: "json" }],
    parallel: false,
  },
  end: "",
  glue: ["<|end|><|start|>assistant", "<|start|>assistant"],
};

const argument = (type: JsonType, types: readonly JsonType[], writing: ValueWriting): ValueForm => ({
  types,
  between: `" type="${type}"<|sep|>`,
  suffix: "<|close|>argument<|sep|>",
  writing,
});
const kimiK3: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>" },
  content: {
    mode: "always_wrapped",
    open: "<|open|>response<|sep|>",
    close: "<|close|>response<|sep|>",
    wrapsEmpty: true,
  },
  calls: {
    lead: "",
    section: { open: "<|open|>tools<|sep|>", close: "<|close|>tools<|sep|>" },
    separator: "",
    call: [
      text('<|open|>call tool="'),
      { kind: "name" },
      text('" index="'),
      { kind: "index", base: 1 },
      text('"<|sep|>'),
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: '<|open|>argument key="',
        separator: "",
        values: [
          argument("string", ["string"], { kind: "raw" }),
          argument("number", ["number", "integer"], { kind: "json" }),
          argument("boolean", ["boolean"], { kind: "json" }),
          argument("null", ["null"], { kind: "json" }),
          argument("array", ["array"], { kind: "json" }),
          argument("object", ["object"], { kind: "json" }),
        ],
      },
      text("<|close|>call<|sep|>"),
    ],
    parallel: true,
  },
  end: "<|close|>message<|sep|>",
  glue: [],
};

const miniCpm5: ResponseLayout = {
  reasoning: thinking,
  content: plain,
  calls: {
    lead: "\n",
    section: null,
    separator: "\n",
    call: [
      text('<function name="'),
      { kind: "name" },
      text('">'),
      {
        kind: "tagged",
        open: "",
        close: "",
        namePrefix: '<param name="',
        separator: "",
        values: [
          {
            types: ["string"],
            between: '">',
            suffix: "</param>",
            writing: { kind: "raw", fence: { open: "<![CDATA[", close: "]]>", when: ["<", "&", "\n"] } },
          },
          { types: others, between: '">', suffix: "</param>", writing: { kind: "python" } },
        ],
      },
      text("</function>"),
    ],
    parallel: true,
  },
  end: "",
  glue: [],
};

/** No marker opens reasoning; JSON of several lines. */
const implied: ResponseLayout = {
  reasoning: { mode: "tag_based", open: "", close: "</think>\n", empty: "" },
  content: plain,
  calls: {
    lead: "\n",
    leadAlone: "\n",
    section: { open: "Action:\n```json\n[\n    ", close: "\n]```" },
    separator: ",\n    ",
    call: [
      {
        ...object("tool_name", "parameters"),
        style: { itemSeparator: ",", keySeparator: ": ", indent: 4, depth: 1 },
      },
    ],
    parallel: true,
  },
  end: "\n",
  glue: [],
};

/** Layouts as different as they come, by the template that writes so. */
export const layouts = {
  "Qwen-Qwen3-0.6B": qwen3,
  "Qwen3-Coder": qwen3Coder,
  "GLM-4.7-Flash": glm47,
  "ByteDance-Seed-OSS": seedOss,
  "Apertus-8B-Instruct": apertus,
  "Kimi-K2-Instruct": kimiK2,
  "Mistral-Small-3.2-24B-Instruct-2506": mistralSmall,
  "deepseek-ai-DeepSeek-V3.1": deepseekV31,
  "MiniMax-M2": minimaxM2,
  "MiniMax-M3": minimaxM3,
  "LFM2.5-8B-A1B": lfm25,
  "google-gemma-4-31B-it": gemma4,
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": commandR7b,
  "meta-llama-Llama-3.1-8B-Instruct": llama31,
  "meetkai-functionary-medium-v3.2": functionary32,
  "openai-gpt-oss-120b": gptOss,
  "Kimi-K3": kimiK3,
  "MiniCPM5-1B": miniCpm5,
  "implied reasoning": implied,
} as const satisfies Readonly<Record<string, ResponseLayout>>;
