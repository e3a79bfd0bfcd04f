import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AppliedTemplate, type ApplyRequest, applyTemplate } from "../../src/apply/index.ts";
import { type Message, TitoError, type ToolSpec } from "../../src/index.ts";
import { requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "llama-cpp", "analysis");

interface Recorded {
  readonly prompt: string;
  readonly generation_prompt: string;
  readonly supports_thinking: boolean;
  readonly thinking_start_tag: string;
  readonly thinking_end_tags: readonly string[];
  readonly grammar_lazy: boolean;
  readonly grammar_triggers: readonly unknown[];
  readonly grammar: string;
}

interface Analysis {
  readonly template: string;
  readonly request: { readonly messages: readonly Message[]; readonly tools: readonly ToolSpec[] };
  readonly apply: Readonly<Record<string, Recorded>>;
}

const schema = {
  type: "object",
  properties: { a: { type: "integer" }, b: { type: "string" } },
  required: ["a", "b"],
};

/** What was asked for, by the recorded names. */
const requests: Readonly<Record<string, Partial<ApplyRequest>>> = {
  notools: {},
  notools_nothink: { enableThinking: false },
  tools_auto: { tools: [] },
  tools_auto_parallel: { tools: [], parallelToolCalls: true },
  tools_required: { tools: [], toolChoice: "required" },
  tools_required_parallel: { tools: [], toolChoice: "required", parallelToolCalls: true },
  tools_none: { tools: [], toolChoice: "none" },
  tools_auto_nothink: { tools: [], enableThinking: false },
  tools_auto_reasoning_none: { tools: [], reasoningFormat: "none" },
  json_schema: { responseFormat: { type: "json_schema", schema } },
};

const tokens = new Map([
  ["bos_token", ""],
  ["eos_token", ""],
]);
/** The templates that print a date were recorded on this day. */
const now = new Date(2026, 10, 21, 12);

const facts = {
  prompt: (one: Recorded) => one.prompt,
  generationPrompt: (one: Recorded) => one.generation_prompt,
  thinks: (one: Recorded) => one.supports_thinking,
  thinkingStart: (one: Recorded) => one.thinking_start_tag || null,
  thinkingEnd: (one: Recorded) => one.thinking_end_tags[0]?.trim() ?? null,
  lazy: (one: Recorded) => one.grammar_lazy,
  triggers: (one: Recorded) => one.grammar_lazy && one.grammar_triggers.length > 0,
  grammar: (one: Recorded) => one.grammar !== "",
} as const;

type Fact = keyof typeof facts;

const ours: Record<Fact, (applied: AppliedTemplate) => unknown> = {
  prompt: ({ prompt }) => prompt,
  generationPrompt: ({ generationPrompt }) => generationPrompt,
  thinks: ({ supportsThinking }) => supportsThinking,
  thinkingStart: ({ thinking }) => thinking?.start || null,
  thinkingEnd: ({ thinking }) => thinking?.ends[0] ?? null,
  lazy: ({ lazy }) => lazy,
  triggers: ({ triggers }) => triggers.length > 0,
  grammar: ({ grammar }) => grammar !== null,
};

interface Difference {
  /** Of the template's name, and of the request's. */
  readonly template: RegExp;
  readonly request?: RegExp;
  readonly facts: readonly (Fact | "tools_unsupported" | "template_error")[];
  readonly why: string;
}

const differences: readonly Difference[] = [
  {
    template: /SmolLM3|gemma-2|rwkv|Phi-3\.5/,
    request: /^tools_(?!none)/,
    facts: ["tools_unsupported"],
    why: "no format for calls: llama.cpp gives a bundle that cannot read them",
  },
  {
    template: /r-plus|llama-cpp-deepseek-r1/,
    request: /^tools_/,
    facts: ["template_error"],
    why: "Jinja2 raises, too: an attribute of a missing value, a generator as JSON",
  },
  {
    template: /firefunction/,
    facts: ["template_error"],
    why: "the template prints a variable that llama.cpp makes up",
  },
  {
    template: /Llama-3\.[13]-/,
    facts: ["prompt"],
    why: "the template has a date of its own; llama.cpp sets its variable",
  },
  {
    template: /functionary-medium-v3\.1/,
    request: /^tools_/,
    facts: ["prompt"],
    why: "HTML is escaped as Jinja2 does",
  },
  {
    template: /Kimi-K3/,
    request: /nothink/,
    facts: ["prompt", "generationPrompt"],
    why: "the template's own switch (thinking) is obeyed",
  },
  { template: /MiniMax-M3/, facts: ["prompt", "generationPrompt"], why: "so is this one (thinking_mode)" },
  { template: /granite-3\.3/, request: /notools$|json_schema/, facts: ["prompt"], why: "and this one (thinking)" },
  {
    template: /DeepSeek-V4/,
    request: /json_schema/,
    facts: ["prompt"],
    why: "llama.cpp tells the model of the schema",
  },
  {
    template: /rwkv|Solar-Open/,
    facts: ["generationPrompt"],
    why: "llama.cpp finds no difference where a text without a prompt is longer, or ends otherwise",
  },
  {
    template: /Kimi-K2(?:-Instruct)?\.|LFM2-8B|LFM2\.5-Instruct|Devstral/,
    facts: ["thinks", "thinkingStart", "thinkingEnd"],
    why: "the template writes no reasoning; llama.cpp has a handler that reads some",
  },
  { template: /Apriel-1\.6/, facts: ["thinkingStart"], why: "what opens reasoning is what the prompt writes for it" },
  { template: /muse-glimmer/, facts: ["thinkingStart", "thinkingEnd"], why: "llama.cpp names no tags" },
  { template: /Solar-Open/, facts: ["thinks", "thinkingStart", "thinkingEnd"], why: "llama.cpp finds no reasoning" },
  {
    template: /Llama-3\.\d|R1-Distill-Llama|granite-3\.3/,
    request: /^tools_/,
    facts: ["lazy", "triggers", "grammar"],
    why: "there is a grammar where llama.cpp has none",
  },
  { template: /./, request: /json_schema/, facts: ["grammar"], why: "every template has a grammar for a schema" },
];

function explains(template: string, request: string, fact: Difference["facts"][number]): boolean {
  return differences.some(
    (one) => one.template.test(template) && (one.request?.test(request) ?? true) && one.facts.includes(fact),
  );
}

describe.skipIf(fixtures === undefined)("what llama.cpp makes of the same requests", () => {
  const files = fixtures === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith(".jinja.json"));
  const counted = { equal: 0, explained: 0 };

  test.each(files)("%s", (file) => {
    const { template, request, apply } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Analysis;
    const source = readFileSync(join(fixtures!, "templates", template), "utf8");
    const unexplained: unknown[] = [];
    const compare = (name: string, fact: Difference["facts"][number], isEqual: boolean, shown: unknown) => {
      if (isEqual) counted.equal++;
      else if (explains(template, name, fact)) counted.explained++;
      else unexplained.push([name, fact, shown]);
    };
    for (const [name, asked] of Object.entries(requests)) {
      const given = { enableThinking: true, ...asked, ...(asked.tools ? { tools: request.tools } : {}) };
      let applied: AppliedTemplate;
      try {
        applied = applyTemplate({ template: source, messages: request.messages, specialTokens: tokens, now, ...given });
      } catch (error) {
        if (!(error instanceof TitoError)) throw error;
        compare(name, error.code as "template_error", false, error.message);
        continue;
      }
      for (const fact of Object.keys(facts) as Fact[]) {
        const [recorded, own] = [facts[fact](apply[name]!), ours[fact](applied)];
        compare(name, fact, recorded === own, { recorded, own });
      }
    }
    expect(unexplained).toEqual([]);
  });

  test("nearly all is equal", () => {
    expect(counted.equal + counted.explained).toBeGreaterThan(5000);
    expect(counted.equal / (counted.equal + counted.explained)).toBeGreaterThan(0.9);
  });
});
