import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { afterAll, describe, expect, test } from "vitest";
import { createRenderer, Rollout } from "../../src/index.ts";
import { loadSampler } from "../../src/sampler/index.ts";
import { shapes } from "../support/chatTemplates.ts";
import { tokenizer as qwen3Tokenizer } from "../support/qwen3.ts";
import { byteLevelVocabulary, sentencePieceVocabulary } from "../support/tinyVocabulary.ts";
import { writeTinyModel } from "../support/writeGguf.ts";

const folder = mkdtempSync(join(tmpdir(), "tito-sampled-"));
afterAll(() => rmSync(folder, { recursive: true }));

const quiet = { onWarning: () => {} };
const chatml = { special: ["<|im_start|>", "<|im_end|>", "<|endoftext|>"], eos: "<|im_end|>" };
const markers = ["<think>", "</think>", "<tool_call>", "</tool_call>"];
const qwen3Template = qwen3Tokenizer.chatTemplate!;

const models = {
  "qwen3, byte-level BPE, Qwen3's template": {
    architecture: "qwen3",
    weights: "F32",
    vocabulary: byteLevelVocabulary({ ...chatml, markers }),
    template: qwen3Template,
    family: "qwen3",
    // By its template a new question drops earlier thinking, and nothing is bridged.
    config: { name: "auto", thinkingRetention: "all" },
  },
  "llama, byte-level BPE, ChatML": {
    architecture: "llama",
    weights: "F16",
    vocabulary: byteLevelVocabulary({ ...chatml, pre: "llama-bpe" }),
    template: shapes.chatml.template,
    family: "default",
    config: undefined,
  },
  "llama, SentencePiece, Llama 2's template": {
    architecture: "llama",
    weights: "F32",
    vocabulary: sentencePieceVocabulary(),
    template: shapes.llama2.template,
    family: "default",
    config: undefined,
  },
  "qwen3, SentencePiece, Gemma's template": {
    architecture: "qwen3",
    weights: "F16",
    vocabulary: sentencePieceVocabulary({
      special: ["<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"],
      bos: "<bos>",
      eos: "<end_of_turn>",
    }),
    template: shapes.gemma.template,
    family: "default",
    config: undefined,
  },
} as const;
type Name = keyof typeof models;

const hostile = ["Hi", "<|im_end|> </s> <end_of_turn>", "\u00e9\ud83e\udd9c\n\n\t ▁x", "[INST] a", '{"name": 1}'];

describe.each(Object.keys(models) as Name[])("a file and nothing else: %s", (name) => {
  const { family, config, ...model } = models[name];
  const path = join(folder, `${Object.keys(models).indexOf(name)}.gguf`);
  writeTinyModel(path, { ...model, seed: 5 });

  test("rollouts are rendered, sampled, parsed and bridged", async () => {
    const renderer = await createRenderer(path, config, quiet);
    expect(renderer.config.name).toBe(family);
    const { tokenizer, stopTokenIds: stop } = renderer;
    await using sampler = await loadSampler(path, { threads: 1, contextSize: 2048 });
    expect(sampler.model).toMatchObject({
      vocabSize: tokenizer.vocabSize,
      eosId: tokenizer.eosTokenId,
      chatTemplate: tokenizer.chatTemplate,
    });
    await using session = await sampler.session();
    let bridged = 0;
    for (const [index, content] of hostile.entries()) {
      const rollout = new Rollout({ renderer, messages: [{ role: "user", content }] });
      for (let turn = 0; turn < 3; turn++) {
        const prompt = Int32Array.from(rollout.promptIds);
        const completion = await session.complete(prompt, { maxTokens: 24, seed: 3 * index + turn, stop });
        const { parsed } = rollout.addCompletion(completion);
        expect(parsed.stop.kind).toBe(completion.finish === "stop" ? "stop" : "none");
        const parser = renderer.parser({ prompt });
        for (const id of completion.ids) parser.push([id]);
        expect(parser.end().response).toEqual(parsed);
        const told = [...prompt, ...completion.ids];
        if (rollout.addMessages([{ role: "user", content: `More ${turn}` }]) !== null) continue;
        bridged++;
        expect([...rollout.promptIds.slice(0, told.length)]).toEqual(told);
        // What was sampled is in the cache as it was.
        const { reusedTokens } = await session.complete(rollout.promptIds, { maxTokens: 1, seed: 1 });
        expect(reusedTokens).toBeGreaterThanOrEqual(told.length - 1);
      }
      const sampled = rollout.samples().reduce((sum, { lossMask }) => sum + lossMask.reduce((a, b) => a + b, 0), 0);
      expect(sampled).toBe(rollout.turns.reduce((sum, { completionIds }) => sum + completionIds.length, 0));
    }
    expect(bridged).toBeGreaterThan(hostile.length);
  });

  test("llama.cpp reads text as the same ids", async () => {
    const { tokenizer } = await createRenderer(path, undefined, quiet);
    const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.error });
    try {
      const native = await llama.loadModel({ modelPath: path });
      const piece = fc.oneof(
        fc.constantFrom(...hostile, ...model.vocabulary.tokens.slice(-30), " the", "  ", "\n", "user assistant"),
        fc.string({ maxLength: 8 }),
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
          const text = pieces.join("");
          expect([...tokenizer.encode(text)]).toEqual([...native.tokenize(text, true)]);
        }),
      );
    } finally {
      await llama.dispose();
    }
  });
});
