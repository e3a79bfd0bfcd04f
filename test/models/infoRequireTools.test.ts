import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { modelInfo, requireTools, type ToolRequirement } from "../../src/models/index.ts";
import { loadSampler } from "../../src/sampler/index.ts";
import { startNative } from "../../src/sampler/native.ts";
import { byteLevelVocabulary } from "../support/tinyVocabulary.ts";
import { writeTinyModel } from "../support/writeGguf.ts";

vi.mock(import("../../src/sampler/native.ts"), async (original) => {
  const actual = await original();
  return { ...actual, startNative: vi.fn(actual.startNative) };
});

const folder = mkdtempSync(join(tmpdir(), "tito-require-"));
afterAll(() => rmSync(folder, { recursive: true }));

const messages = "{% for m in messages %}{{ m.role }}: {{ m.content }}<|im_end|>{% endfor %}";
const tools = "{% for tool in tools %}{{ tool | tojson }}{% endfor %}";
const calls =
  "{% for m in messages %}{% for c in m.tool_calls %}<call>{{ c.function.name }}{{ c.function.arguments | tojson }}</call>{% endfor %}{% endfor %}";

const kinds = {
  none: messages,
  describes: tools + messages,
  calls: messages + calls,
  both: tools + messages + calls,
  "tool_use alone": { default: messages, tool_use: tools + messages + calls },
} as const;
type Kind = keyof typeof kinds;

const vocabulary = byteLevelVocabulary({ special: ["<|im_end|>"], eos: "<|im_end|>" });
const pathOf = (kind: Kind): string => join(folder, `${kind}.gguf`);
for (const kind of Object.keys(kinds) as Kind[]) writeTinyModel(pathOf(kind), { vocabulary, template: kinds[kind] });

const missing: Readonly<Record<Kind, readonly string[]>> = {
  none: ["supports_tools", "supports_tool_calls"],
  describes: ["supports_tool_calls"],
  calls: ["supports_tools"],
  both: [],
  "tool_use alone": [],
};
const asks: Readonly<Record<ToolRequirement, readonly string[]>> = {
  both: ["supports_tools", "supports_tool_calls"],
  describe: ["supports_tools"],
  none: [],
};

const levels = Object.keys(asks) as ToolRequirement[];
const cases = (Object.keys(kinds) as Kind[]).flatMap((kind) => levels.map((level) => [kind, level] as const));

const lacks = (kind: Kind, level: ToolRequirement) => asks[level].filter((name) => missing[kind].includes(name));

const refusal = (kind: Kind, level: ToolRequirement) =>
  expect.objectContaining({
    name: "TitoError",
    code: "tools_unsupported",
    details: expect.objectContaining({ missing: lacks(kind, level), required: level }),
  });

test.each(cases.filter((one) => lacks(...one).length === 0))("%o passes where %o is required", async (kind, level) => {
  const info = await modelInfo(pathOf(kind));
  expect(() => requireTools(info, level)).not.toThrow();
});

describe.each(cases.filter((one) => lacks(...one).length > 0))("%o where %o is required", (kind, level) => {
  test("is refused for what it lacks", async () => {
    const info = await modelInfo(pathOf(kind));
    expect(() => requireTools(info, level)).toThrow(refusal(kind, level));
    for (const name of lacks(kind, level)) expect(() => requireTools(info, level)).toThrow(`${name}=false`);
  });

  test("is not loaded, and nothing native is started", async () => {
    vi.mocked(startNative).mockClear();
    await expect(loadSampler(pathOf(kind), { requireTools: level })).rejects.toEqual(refusal(kind, level));
    await expect(loadSampler(pathOf(kind), { requireTools: level })).rejects.toThrow(pathOf(kind));
    expect(startNative).not.toHaveBeenCalled();
  });
});

test("the check is of the two capabilities alone", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (supportsTools, supportsCalls, other) => {
      const caps = {
        supports_tools: supportsTools,
        supports_tool_calls: supportsCalls,
        supports_system_role: other,
        supports_parallel_tool_calls: other,
        supports_preserve_reasoning: other,
        supports_reasoning_effort: other,
        supports_string_content: other,
        supports_typed_content: other,
        supports_object_arguments: other,
      };
      const passes = (level: ToolRequirement): boolean => {
        try {
          requireTools({ caps }, level);
          return true;
        } catch {
          return false;
        }
      };
      expect([passes("both"), passes("describe"), passes("none")]).toEqual([
        supportsTools && supportsCalls,
        supportsTools,
        true,
      ]);
    }),
  );
});

test("a level that there is none of", async () => {
  const info = await modelInfo(pathOf("both"));
  expect(() => requireTools(info, "all" as ToolRequirement)).toThrow(
    expect.objectContaining({ code: "invalid_config" }),
  );
  await expect(loadSampler(pathOf("both"), { requireTools: "all" as ToolRequirement })).rejects.toMatchObject({
    code: "sampler_option",
  });
});

test.each([
  ["both", "tool_use alone"],
  ["none", "none"],
  [undefined, "none"],
] as const)("with requireTools %o a model of the kind %o is loaded", async (level, kind) => {
  const options = level === undefined ? {} : { requireTools: level };
  await using sampler = await loadSampler(pathOf(kind), { threads: 1, contextSize: 256, ...options });
  expect(sampler.model.vocabSize).toBe(vocabulary.tokens.length);
});
