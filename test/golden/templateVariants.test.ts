import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { analyze, responseTextParser, type TemplateAnalysis } from "../../src/autoparser/index.ts";
import { requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();

/** A published template with some of its words changed: what is found must follow. */
function analysisOf(name: string, changes: readonly (readonly [from: string, to: string])[] = []): TemplateAnalysis {
  const text = readFileSync(join(fixtures!, "templates", `${name}.jinja`), "utf8");
  for (const [from] of changes) expect(text).toContain(from);
  return analyze(changes.reduce((source, [from, to]) => source.replaceAll(from, to), text));
}

const read = (analysis: TemplateAnalysis, generationPrompt: string, text: string) => {
  const parser = responseTextParser(analysis, { generationPrompt, tools: null });
  parser.push(text);
  return parser.end().response;
};

const misread = ({ limits }: TemplateAnalysis) => limits.filter(({ code }) => code === "misread");

describe.skipIf(fixtures === undefined)("templates that are known by what they do, not by what they are called", () => {
  test("history without its thoughts: the markers come from the prompt, or from what the history cuts off", () => {
    for (const name of ["Qwen-QwQ-32B", "deepseek-ai-DeepSeek-R1-Distill-Llama-8B"]) {
      const { layout } = analysisOf(name);
      expect([layout.reasoning?.open.trim(), layout.reasoning?.close.trim()]).toEqual(["<think>", "</think>"]);
    }
    const silent = analyze(
      "{% for m in messages %}<|{{ m.role }}|>{{ m.content.split('</think>')[-1] if m.role == 'assistant' else m.content }}<|end|>{% endfor %}" +
        "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    );
    expect(silent.layout.reasoning).toMatchObject({ open: "<think>", close: "</think>" });
  });

  test("Granite: tags that only the prompt's words tell of", () => {
    const granite = analysisOf("ibm-granite-granite-3.3-2B-Instruct");
    expect(granite.layout.reasoning).toMatchObject({ open: "<think>", close: "</think>" });
    expect(granite.layout.content).toMatchObject({
      mode: "wrapped_with_reasoning",
      open: "<response>",
      close: "</response>",
    });
    const { content, reasoning } = read(granite, "", "<think>Why</think><response>Paris</response>");
    expect([content, reasoning?.text]).toEqual(["Paris", "Why"]);
    expect(read(granite, "", "<think>Why</think>Paris").content).toBe("Paris");

    const renamed = analysisOf("ibm-granite-granite-3.3-2B-Instruct", [
      ["<think></think>", "<muse></muse>"],
      ["<response></response>", "<reply></reply>"],
    ]);
    expect([renamed.layout.reasoning?.open, renamed.layout.content.open]).toEqual(["<muse>", "<reply>"]);
  });

  test("Cohere: what stands around content in every turn", () => {
    const cohere = analysisOf("CohereForAI-c4ai-command-r7b-12-2024-tool_use");
    expect(cohere.layout.content).toMatchObject({
      mode: "always_wrapped",
      open: "<|START_RESPONSE|>",
      close: "<|END_RESPONSE|>",
    });
    // The turn's own header is not content's wrapper.
    const plus = analysisOf("CohereForAI-c4ai-command-r-plus-tool_use");
    expect(plus.layout.content.mode).toBe("plain");
    expect(plus.header).toContain("<|CHATBOT_TOKEN|>");
    const renamed = analysisOf("CohereForAI-c4ai-command-r-plus-tool_use", [["CHATBOT_TOKEN", "TALKER"]]);
    expect([renamed.layout.content.mode, misread(renamed)]).toEqual(["plain", []]);
  });

  test("Functionary: calls by name beside a code interpreter", () => {
    const functionary = analysisOf("meetkai-functionary-medium-v3.1");
    expect(functionary.layout.calls?.call).toEqual([
      { kind: "text", text: "<function=" },
      { kind: "name" },
      { kind: "text", text: ">" },
      { kind: "json" },
      { kind: "text", text: "</function>" },
    ]);
    expect(functionary.stops).toEqual(["<|eot_id|>", "<|eom_id|>"]);
    const renamed = analysisOf("meetkai-functionary-medium-v3.1", [["has_code_interpreter", "runs_code"]]);
    expect(renamed.layout).toEqual(functionary.layout);
  });

  test("DeepSeek: markers around all calls and around each", () => {
    const deepseek = analysisOf("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B");
    expect(deepseek.layout.calls).toMatchObject({
      section: { open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>" },
      separator: "\n",
    });
    const renamed = analysisOf("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", [
      ["<｜tool▁calls▁begin｜>", "<|many|>"],
      ["<｜tool▁calls▁end｜>", "<|/many|>"],
    ]);
    expect(renamed.layout.calls?.section).toEqual({ open: "<|many|>", close: "<|/many|>" });
    expect(misread(renamed)).toEqual([]);
  });

  test("Qwen3: other markers, the same format", () => {
    const renamed = analysisOf("Qwen-Qwen3-0.6B", [
      ["tool_call>", "zorp>"],
      ["<think>", "[MUSE]"],
      ["</think>", "[/MUSE]"],
    ]);
    expect(renamed.layout.reasoning).toMatchObject({ open: "[MUSE]\n", close: "\n[/MUSE]\n\n" });
    expect(renamed.layout.calls?.call[0]).toEqual({ kind: "text", text: "<zorp>\n" });
    expect(renamed.limits).toEqual([]);
  });

  test("a prompt that opens reasoning whatever is asked for", () => {
    const world = analysisOf("llama-cpp-rwkv-world");
    expect(world.prefill.on).toBe("open");
    const { content, reasoning } = read(world, world.opened.on, "\nHm.\n</think>Paris.");
    expect([content, reasoning?.text.trim()]).toEqual(["Paris.", "Hm."]);
  });
});
