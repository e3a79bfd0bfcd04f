import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { capabilities } from "../../src/template/capabilities/index.ts";
import { requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();
const analyses = fixtures === undefined ? "" : join(fixtures, "llama-cpp", "analysis");
const names =
  fixtures === undefined
    ? []
    : readdirSync(analyses)
        .filter((file) => file.endsWith(".jinja.json"))
        .map((file) => file.slice(0, -".json".length));

/** Where the template does otherwise than llama.cpp says; docs/templates.md says why. */
const differences: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  "LFM2.5-8B-A1B.jinja": { supports_typed_content: true },
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja": { supports_tool_calls: true, supports_parallel_tool_calls: true },
  "llama-cpp-deepseek-r1.jinja": { supports_tools: false },
  "mistralai-Ministral-3-14B-Reasoning-2512.jinja": { supports_typed_content: true },
};

/** llama.cpp prints null as an empty text, so that it never says that content must not be null. */
const requireContent: readonly string[] = [
  "Bielik-11B-v3.0-Instruct.jinja",
  "CohereForAI-c4ai-command-r-plus-tool_use.jinja",
  "GLM-4.6.jinja",
  "GLM-4.7-Flash.jinja",
  "LFM2-8B-A1B.jinja",
  "LFM2.5-8B-A1B.jinja",
  "LFM2.5-Instruct.jinja",
  "MiniMax-M2.jinja",
  "Qwen-QwQ-32B.jinja",
  "Qwen-Qwen3-0.6B.jinja",
  "google-gemma-2-2b-it.jinja",
  "ibm-granite-granite-3.3-2B-Instruct.jinja",
  "microsoft-Phi-3.5-mini-instruct.jinja",
  "mistralai-Ministral-3-14B-Reasoning-2512.jinja",
  "openai-gpt-oss-120b.jinja",
  "unsloth-mistral-Devstral-Small-2507.jinja",
];

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

describe.skipIf(fixtures === undefined)("capabilities of real chat templates, against llama.cpp's", () => {
  test("there are seventy of them", () => {
    expect(names.length).toBeGreaterThanOrEqual(70);
  });

  test.each(names)("%s", (name) => {
    const recorded = JSON.parse(readFileSync(join(analyses, `${name}.json`), "utf8"));
    const { requiresNonnullContent, ...supports } = capabilities(
      readFileSync(join(fixtures!, "templates", name), "utf8"),
    );
    const found = Object.fromEntries(Object.entries(supports).map(([key, value]) => [snakeCase(key), value]));
    expect(found).toEqual({ ...recorded.caps, ...differences[name] });
    expect(recorded.analysis.content.requires_nonnull_content).toBe(false);
    expect(requiresNonnullContent).toBe(requireContent.includes(name));
  });
});
