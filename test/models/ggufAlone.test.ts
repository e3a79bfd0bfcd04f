import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { fixtureFile } from "../../src/conform/locate.ts";
import {
  createRenderer,
  loadTokenizer,
  type Message,
  type Renderer,
  type RendererConfigInput,
  readAddedTokens,
  type Tokenizer,
  tokenizerFromGguf,
} from "../../src/index.ts";
import { modelInfo } from "../../src/models/index.ts";
import { createRendererPool } from "../../src/pool/index.ts";
import { anyIds, bridgeExtends, matchesTemplate, roundTrips, type TurnLimits, texts } from "../../src/testing/index.ts";
import { shapes, type TemplateShape } from "../support/chatTemplates.ts";
import { fixturesDir, requireFixtures } from "../support/fixtures.ts";
import { familyTemplate } from "../support/overlayTokenizer.ts";
import { modelFile, qwen3 } from "../support/qwen3.ts";
import { templateFamilies } from "../support/templateFamilies.ts";
import { templateTokenizer } from "../support/templateTokens.ts";
import { byteLevelVocabulary, sentencePieceVocabulary, type TinyVocabulary } from "../support/tinyVocabulary.ts";
import { type GgufField, ggufBytes, vocabularyMetadata } from "../support/writeGguf.ts";
import { toyJson } from "../tokenizer/toy.ts";
import { withHub } from "./hubSetup.ts";

const folder = mkdtempSync(join(tmpdir(), "tito-alone-"));
afterAll(() => rmSync(folder, { recursive: true }));

const quiet = { onWarning: () => {} };
const user: Message = { role: "user", content: "Hi" };

let written = 0;
/** A file of metadata alone. */
function file(vocabulary: TinyVocabulary, template?: string, more: Readonly<Record<string, GgufField>> = {}): string {
  const path = join(folder, `${written++}.gguf`);
  writeFileSync(path, ggufBytes({ metadata: { ...vocabularyMetadata(vocabulary, template), ...more } }));
  return path;
}

const codes = async (path: string, config?: RendererConfigInput) => {
  const warnings: string[] = [];
  const renderer = await createRenderer(path, config, { onWarning: ({ code }) => void warnings.push(code) });
  return { name: renderer.config.name, warnings };
};

const chatml = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"];
const calls = ["<think>", "</think>", "<tool_call>", "</tool_call>"];
const qwen3Template = tokenizerFromGguf(modelFile).chatTemplate!;

const runs = { numRuns: 5 };
const words = texts()
  .map((one) => one.trim())
  .filter((one) => one !== "");

/** What must hold of a renderer whatever its template is: some refuse all but turns that alternate. */
function holds(renderer: Renderer, limits: TurnLimits = {}): void {
  const { tokenizer, stopTokenIds } = renderer;
  const turns = fc.array(fc.tuple(words, words), { maxLength: 2 });
  fc.assert(
    fc.property(turns, words, words, words, (pairs, question, answer, more) => {
      const history = pairs.flatMap(([one, two]): Message[] => [
        { role: "user", content: one },
        { role: "assistant", content: two },
      ]);
      const rendered = renderer.render([...history, { role: "user", content: question }], {
        addGenerationPrompt: true,
      });
      const { tokenIds: promptIds, messageIndices, sampledMask, contentMask } = rendered;
      expect([messageIndices.length, sampledMask.length, contentMask.length]).toEqual(Array(3).fill(promptIds.length));
      expect(tokenizer.encode(tokenizer.decode(promptIds), { addedTokens: "match" }).length).toBeGreaterThan(0);
      const completionIds = [...tokenizer.encode(answer, { addedTokens: "plain" }), stopTokenIds[0]!];
      const { stop } = renderer.parseResponse(completionIds, { prompt: promptIds });
      expect(stop).toMatchObject({ kind: "stop", id: stopTokenIds[0] });
      const newMessages: Message[] = [{ role: "user", content: more }];
      const bridge = renderer.bridgeToNextTurn({ promptIds, completionIds, newMessages });
      if (bridge.ok)
        expect(tokenizer.decode(bridge.extension.tokenIds)).toContain(tokenizer.normalize(more).slice(1, -1));
      else expect(bridge.message.length).toBeGreaterThan(20);
    }),
    runs,
  );
  fc.assert(
    fc.property(anyIds(tokenizer), (ids) => {
      const options = { prompt: { reasoning: "unknown" } } as const;
      const parser = renderer.parser(options);
      for (const id of ids) parser.push([id]);
      expect(parser.end().response).toEqual(renderer.parseResponse(ids, options));
    }),
    runs,
  );
  fc.assert(bridgeExtends(renderer, limits), runs);
}

describe("vocabulary, special tokens and template are the file's", () => {
  const vocabularies = { "byte-level BPE": byteLevelVocabulary, SentencePiece: sentencePieceVocabulary };
  const kinds = Object.keys(vocabularies) as (keyof typeof vocabularies)[];
  const names = Object.keys(shapes) as (keyof typeof shapes)[];

  describe.each(kinds)("%s", (kind) => {
    test.each(names)("with the template %s", async (name) => {
      const shape: TemplateShape = shapes[name];
      const { special, markers = [], bos, eos, template } = shape;
      const own = kind === "SentencePiece" ? special.filter((token) => token !== "<s>" && token !== "</s>") : special;
      const vocabulary = vocabularies[kind]({ special: own, markers, eos, ...(bos !== undefined && { bos }) });
      const path = file(vocabulary, template);
      const renderer = await createRenderer(path, undefined, quiet);
      expect(renderer.config.name).toBe("default");
      expect((await modelInfo(path)).renderer).toEqual({ family: "default", by: "default" });
      const { tokenizer } = renderer;
      expect(tokenizer.eosTokenId).toBe(vocabulary.tokens.lastIndexOf(eos));
      expect(tokenizer.bosTokenId).toBe(bos === undefined ? vocabulary.bosId : vocabulary.tokens.lastIndexOf(bos));
      expect(renderer.stopTokenIds.length).toBeGreaterThan(0);
      const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
      for (const token of special) {
        const id = tokenizer.tokenToId(token)!;
        expect(prompt.filter((one) => one === id).length).toBe(tokenizer.decode(prompt).split(token).length - 1);
      }
      const [close] = renderer.stopTokenIds;
      const text = name === "thinking" ? "Hm\n</think>\n\nGood day" : "Good day";
      const completionIds = [...tokenizer.encode(text), close!];
      expect(renderer.parseResponse(completionIds, { prompt }).content?.trim()).toBe("Good day");
      const request = { promptIds: prompt, completionIds, newMessages: [{ role: "user", content: "More" }] } as const;
      const bridge = renderer.bridgeToNextTurn(request);
      expect(bridge.ok).toBe(true);
      holds(renderer);
    });
  });

  test.each(kinds)("%s: a template with tools matches itself, and is read back", async (kind) => {
    const vocabulary = vocabularies[kind]({ special: chatml, markers: calls, eos: "<|im_end|>" });
    const path = file(vocabulary, qwen3Template);
    const renderer = await createRenderer(path, { name: "default", adaptMessages: true }, quiet);
    fc.assert(matchesTemplate(renderer), runs);
    fc.assert(roundTrips(renderer), runs);
  });

  test("SentencePiece: text comes back, whatever it is", () => {
    const tokenizer = tokenizerFromGguf(
      file(sentencePieceVocabulary({ special: ["<|im_end|>"], markers: ["<think>"] })),
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const ids = tokenizer.encode(`${text}<think><|im_end|>`);
        expect(tokenizer.decode(ids)).toBe(`${text.toWellFormed().replaceAll("▁", " ")}<think><|im_end|>`);
        expect([...ids.slice(-2)]).toEqual([tokenizer.tokenToId("<think>"), tokenizer.tokenToId("<|im_end|>")]);
      }),
    );
  });

  test("SentencePiece: tokens that are unused have no bytes, and damaged vocabularies are refused", () => {
    const { tokens, types, ...rest } = sentencePieceVocabulary();
    const unused = { ...rest, tokens: [...tokens, "[PAD]"], types: [...types, 5], scores: [...rest.scores!, 0] };
    const tokenizer = tokenizerFromGguf(file(unused));
    expect(tokenizer.vocabSize).toBe(tokens.length + 1);
    expect(tokenizer.byteLength(tokens.length)).toBe(0);
    const short = file({ ...rest, tokens, types, scores: [1, 2] });
    expect(() => tokenizerFromGguf(short)).toThrow(expect.objectContaining({ code: "tokenizer_invalid" }));
    const { scores: _, ...none } = { ...rest, tokens, types };
    expect(() => tokenizerFromGguf(file(none))).toThrow("tokenizer.ggml.scores");
  });
});

describe("which renderer it is", () => {
  const vocabulary = byteLevelVocabulary({ special: chatml, markers: calls, eos: "<|im_end|>" });
  const other = shapes.chatml.template;
  const url = "https://hub.example/Qwen/Qwen3-8B";

  test.each([
    ["the template of a family", qwen3Template, {}, "qwen3", "template"],
    ["another template", other, {}, "default", "default"],
    ["no template", undefined, {}, "default", "default"],
    ["a known name", other, { "general.name": "Qwen/Qwen3-8B" }, "qwen3", "name"],
    ["a known repository", other, { "general.repo_url": url }, "qwen3", "name"],
    ["a name that is only like a known one", other, { "general.name": "Qwen3 8B" }, "default", "default"],
    ["a known base with its template", qwen3Template, { "general.base_model.0.repo_url": url }, "qwen3", "name"],
    ["a known base with another template", other, { "general.base_model.0.repo_url": url }, "default", "default"],
    ["a known base without a template", undefined, { "general.base_model.0.repo_url": url }, "qwen3", "name"],
    [
      "the second base is known",
      qwen3Template,
      { "general.base_model.0.name": "Own", "general.base_model.1.repo_url": `${url}/` },
      "qwen3",
      "name",
    ],
  ] as const)("%s: modelInfo, createRenderer and a pool agree", async (_, template, metadata, family, by) => {
    const path = file(vocabulary, template, metadata);
    expect((await modelInfo(path)).renderer).toEqual({ family, by });
    const renderer = await createRenderer(path, undefined, quiet);
    expect(renderer.config.name).toBe(family);
    await using pool = await createRendererPool(path, { size: 0, ...quiet });
    const options = { addGenerationPrompt: true };
    expect(await pool.renderIds([user], options)).toEqual(renderer.renderIds([user], options));
  });

  test("a pool's threads have it, too", async () => {
    const path = file(vocabulary, qwen3Template);
    await using pool = await createRendererPool(path, { size: 1, inlineBelow: 0, ...quiet });
    const tokenizer = tokenizerFromGguf(path);
    expect(await pool.renderIds([user])).toEqual(createRenderer(tokenizer, { name: "qwen3" }).renderIds([user]));
    expect(pool.threads).toBe(1);
  });

  test("a family that was identified says so; one that was named does not", async () => {
    expect(await codes(file(vocabulary, qwen3Template))).toEqual({ name: "qwen3", warnings: ["family_identified"] });
    const named = file(vocabulary, qwen3Template, { "general.base_model.0.repo_url": url });
    expect(await codes(named)).toEqual({ name: "qwen3", warnings: [] });
    expect((await codes(file(vocabulary))).warnings).toContain("template_fallback");
  });

  test("a config wins", async () => {
    const path = file(vocabulary, qwen3Template);
    expect((await codes(path, { name: "default" })).name).toBe("default");
    expect((await codes(path, { name: "auto" })).name).toBe("qwen3");
    expect((await codes(path, { name: "auto", identify: false })).name).toBe("default");
    expect((await codes(file(vocabulary, other), { name: "qwen3" })).name).toBe("qwen3");
    const asked = { name: "auto", contentSpecials: "template" } as const;
    expect((await createRenderer(path, asked, quiet)).config).toMatchObject({ ...asked, name: "qwen3" });
  });

  test("template variables are checked against the family that was found", async () => {
    const path = file(vocabulary, qwen3Template);
    const off = await createRenderer(path, undefined, { chatTemplateKwargs: { enable_thinking: false }, ...quiet });
    expect(off.config).toMatchObject({ name: "qwen3", enableThinking: false });
    const wrong = createRenderer(path, undefined, { chatTemplateKwargs: { enable_thinkin: false }, ...quiet });
    await expect(wrong).rejects.toMatchObject({ code: "invalid_config" });
    const unknown = createRenderer(file(vocabulary, other), undefined, {
      chatTemplateKwargs: { enable_thinking: false },
    });
    await expect(unknown).rejects.toMatchObject({ code: "unknown_model" });
  });

  test("the embedded model is Qwen3's, alone as with everything said", async () => {
    const alone = await createRenderer(modelFile, undefined, { verify: "quick", ...quiet });
    const said = qwen3();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (content) => {
        const messages: Message[] = [{ role: "user", content }];
        expect(alone.renderIds(messages, { addGenerationPrompt: true })).toEqual(
          said.renderIds(messages, { addGenerationPrompt: true }),
        );
      }),
      { numRuns: 20 },
    );
  });

  test("how it is loaded can be said, and mistakes are refused", async () => {
    const path = file(vocabulary, other);
    const named = await createRenderer(path, undefined, { tokenizer: { nameOrPath: "Qwen/Qwen3-8B" } });
    expect(named.config.name).toBe("qwen3");
    const templated = await createRenderer(path, undefined, { tokenizer: { chatTemplate: qwen3Template }, ...quiet });
    expect(templated.config.name).toBe("qwen3");
    await expect(createRenderer(path, undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(createRenderer(path, undefined, { verify: "some" as "off" })).rejects.toMatchObject({
      code: "invalid_config",
    });
    await expect(createRenderer(join(folder, "absent.gguf"))).rejects.toMatchObject({ code: "file_not_found" });
    await expect(createRenderer(file({ ...vocabulary, pre: "no such" }))).rejects.toMatchObject({
      code: "tokenizer_unsupported",
    });
  });

  describe("without a GGUF the files beside each other do", () => {
    const files = {
      "tokenizer.json": JSON.stringify(toyJson({ added: [...chatml, ...calls] })),
      "tokenizer_config.json": JSON.stringify({ eos_token: "<|im_end|>" }),
      "chat_template.jinja": qwen3Template,
    };
    const prompt = async (tokenizer: Tokenizer) => createRenderer(tokenizer, { name: "qwen3" }).renderIds([user]);

    test("in a directory", async () => {
      const directory = join(folder, "model");
      mkdirSync(directory);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
      const renderer = await createRenderer(directory, undefined, quiet);
      expect(renderer.config.name).toBe("qwen3");
      expect(renderer.renderIds([user])).toEqual(await prompt(await loadTokenizer(directory)));
      await expect(createRenderer(join(folder, "absent"))).rejects.toMatchObject({ code: "file_not_found" });
    });

    test.each([
      ["org/tune", true],
      ["Qwen/Qwen3-8B", false],
    ])("on a hub, as %s", async (id, isIdentified) => {
      const { hub, options: tokenizer } = await withHub();
      hub.publish(id, files);
      const warnings: string[] = [];
      const onWarning = ({ code }: { readonly code: string }) => void warnings.push(code);
      const renderer = await createRenderer(id, undefined, { tokenizer, onWarning });
      expect([renderer.config.name, renderer.tokenizer.nameOrPath]).toEqual(["qwen3", id]);
      expect(warnings).toEqual(isIdentified ? ["family_identified"] : []);
      expect(renderer.renderIds([user])).toEqual(await prompt(await loadTokenizer(id, tokenizer)));
    });
  });
});

describe.skipIf(requireFixtures() === undefined)("published templates, each in a file with its special tokens", () => {
  const fixtures = fixturesDir() ?? "";

  /** The tokens of a family's recorded tokenizer, on bytes. */
  function familyVocabulary(family: string): TinyVocabulary {
    const overlay = JSON.parse(readFileSync(fixtureFile(fixtures, "overlays", `${family}.json`)!, "utf8"));
    const added = readAddedTokens(overlay.added_tokens);
    return byteLevelVocabulary({
      special: added.filter(({ special }) => special).map(({ content }) => content),
      markers: added.filter(({ special }) => !special).map(({ content }) => content),
      eos: overlay.eos_token,
      ...(overlay.bos_token && { bos: overlay.bos_token }),
    });
  }

  test.each(templateFamilies)("%s is found by what its template writes", async (family) => {
    const path = file(familyVocabulary(family), familyTemplate(fixtures, family), { "general.name": "Some Tune 7B" });
    const renderer = await createRenderer(path, undefined, quiet);
    expect((await modelInfo(path)).renderer).toEqual({ family: renderer.config.name, by: "template" });
    expect(renderer.config.name).toBe(family);
    const limits = family === "llama-3" ? { maxCalls: 1, contentBesideCalls: false } : {};
    fc.assert(roundTrips(renderer, limits), runs);
    holds(renderer, limits);
  });

  test.each([
    "google-gemma-2-2b-it",
    "HuggingFaceTB-SmolLM3-3B",
    "Apertus-8B-Instruct",
    "LFM2-8B-A1B",
    "ibm-granite-granite-3.3-2B-Instruct",
    "microsoft-Phi-3.5-mini-instruct",
    "ByteDance-Seed-OSS",
    "upstage-Solar-Open-100B",
  ])("%s is rendered by itself", async (name) => {
    const template = readFileSync(join(fixtures, "templates", `${name}.jinja`), "utf8");
    const { addedTokens } = templateTokenizer(template);
    const contents = (special: boolean) => addedTokens.filter((token) => token.special === special);
    const vocabulary = byteLevelVocabulary({
      special: contents(true).map(({ content }) => content),
      markers: contents(false).map(({ content }) => content),
      bos: "<s>",
      eos: "</s>",
    });
    const renderer = await createRenderer(file(vocabulary, template), undefined, quiet);
    expect(renderer.config.name).toBe("default");
    const text = renderer.tokenizer.decode(renderer.renderIds([user], { addGenerationPrompt: true }));
    expect(text).toContain("Hi");
    holds(renderer);
  });
});
