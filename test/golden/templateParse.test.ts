import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { conform } from "../../src/conform/index.ts";
import { type JsonObject, toPlain } from "../../src/messages/json/index.ts";
import { readCases, requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "llama-cpp");

interface Result {
  readonly id: string;
  readonly scenario: string;
  readonly synthetic: boolean;
  /** llama.cpp reads the case as it was said. */
  readonly llama: boolean;
  readonly outcome: "passed" | "failed" | "deviates" | "skipped";
  readonly via: string;
}

/** Every case is read whole, cut at its places, and one character at a time. */
async function results(file: string): Promise<Result[]> {
  const lines: Record<string, unknown>[] = [];
  await conform([file], { onCase: (line) => lines.push(line) });
  return readCases(file).map((one: JsonObject, index) => {
    const plain = toPlain(one) as {
      id: string;
      scenario: string;
      synthetic?: boolean;
      llama_cpp: { roundtrip_loose?: boolean };
    };
    const { outcome, via } = lines[index] as { outcome: Result["outcome"]; via: string };
    const { id, scenario, synthetic = false, llama_cpp } = plain;
    return { id, scenario, synthetic, llama: llama_cpp.roundtrip_loose === true, outcome, via };
  });
}

/** What every format has to manage. */
const core = new Set([
  "content_only",
  "content_markdown",
  "content_with_tools_avail",
  "reasoning_content",
  "reasoning_content_nothink",
  "reasoning_content_call",
  "reasoning_one_call",
  "content_one_call",
  "one_call",
  "one_call_required",
  "zero_args",
  "parallel_two",
]);

describe.skipIf(fixtures === undefined)("responses that templates write, read by what the analysis finds", () => {
  const files =
    fixtures === undefined ? [] : readdirSync(join(folder, "parse")).filter((name) => name.endsWith(".jsonl"));
  const byTemplate = new Map<string, readonly Result[]>();
  beforeAll(async () => {
    for (const file of files) byTemplate.set(file, await results(join(folder, "parse", file)));
  }, 300_000);

  test.each(files)("%s", (file) => {
    const all = byTemplate.get(file)!;
    const fails = all.filter(({ outcome }) => outcome !== "passed" && outcome !== "deviates");
    expect(fails.filter(({ scenario, synthetic }) => core.has(scenario) && !synthetic)).toEqual([]);
    const passed = all.filter(({ outcome }) => outcome === "passed").length;
    expect(passed).toBeGreaterThanOrEqual(all.filter(({ llama }) => llama).length);
  });

  test("nearly all are read as they were said", () => {
    const all = [...byTemplate.values()].flat();
    const count = (outcome: Result["outcome"]) => all.filter((one) => one.outcome === outcome).length;
    expect(all.length).toBeGreaterThan(1400);
    expect(count("skipped")).toBe(0);
    expect(count("passed") / all.length).toBeGreaterThanOrEqual(0.99);
    expect(count("deviates") / all.length).toBeLessThanOrEqual(0.01);
  });
});

/** Cases of llama.cpp's own tests that are read otherwise here, by what they hold. */
const unlike: Readonly<Record<string, readonly string[]>> = {
  "with reasoning left in the content, the prompt's opening marker is the prompt's": ["Cohere2MoE.jinja/28"],
  "a thought behind the answer, where the format has none, is text": ["google-gemma-4-31B-it.jinja/51"],
  "the template knows no reasoning, which the continued message has": ["moonshotai-Kimi-K2.jinja/125"],
  "a prompt's header that is written once more is text": ["CohereForAI-c4ai-command-r-plus-tool_use.jinja/176"],
  "the sentence with which the prompt opens reasoning is not the model's": ["Apriel-1.6-15b-Thinker-fixed.jinja/197"],
  "a call of a tool that there is not is told of as such": [
    "openai-gpt-oss-120b.jinja/217",
    "openai-gpt-oss-120b.jinja/218",
  ],
  "a recipient before a channel's name makes no thought of the message": ["openai-gpt-oss-120b.jinja/219"],
};

describe.skipIf(fixtures === undefined)("llama.cpp's own tests of chat formats", () => {
  test("are read as expected, but for named cases", async () => {
    const all = await results(join(folder, "upstream", "test-chat.jsonl"));
    const fails = all.filter(({ outcome }) => outcome === "failed");
    const named = new Set(Object.values(unlike).flatMap((ids) => ids.map((id) => `test-chat/${id}`)));
    expect(fails.filter(({ id }) => !named.has(id))).toEqual([]);
    const passed = all.filter(({ outcome }) => outcome === "passed").length;
    expect(passed / all.length).toBeGreaterThanOrEqual(0.96);
  }, 120_000);
});
