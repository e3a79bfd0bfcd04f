import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TokenizerShelf } from "../../src/conform/tokenizers.ts";
import {
  createRenderer,
  type GptOssConfigInput,
  messagesFromJson,
  parseJson,
  type Renderer,
  type Tokenizer,
  toOpenAIMessage,
  toolsFromJson,
} from "../../src/index.ts";
import type { JsonObject } from "../../src/messages/index.ts";
import { familyTokenizer } from "../support/families.ts";
import { fixturesDir } from "../support/fixtures.ts";

interface Rendered {
  readonly kind: "render";
  readonly config: Omit<GptOssConfigInput, "name">;
  readonly generate: boolean;
  readonly text: string;
  readonly count: number;
  readonly sha256: string;
}

interface Read {
  readonly kind: "read";
  readonly completion: string;
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly { readonly to: string; readonly body: string }[];
}

interface Case {
  readonly plain: Rendered | Read;
  readonly lossless: JsonObject;
}

const here = fileURLToPath(new URL(".", import.meta.url));
const prompt = { reasoning: "closed" } as const;
const markers = "return start end message channel constrain call".split(" ").map((name) => `<|${name}|>`);
const light = familyTokenizer("", markers);
const fixtures = fixturesDir();
const hasVocabulary = fixtures !== undefined && existsSync(join(fixtures, "golden", "o200k_base.tiktoken"));
const real = hasVocabulary ? await new TokenizerShelf(fixtures).overlay("gpt-oss") : undefined;

function cases(jsonl: string): Case[] {
  return jsonl
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ plain: JSON.parse(line), lossless: parseJson(line) as JsonObject }));
}

const recorded = cases(readFileSync(join(here, "data/harmony.jsonl"), "utf8"));

/** Renders what Harmony rendered; its text and ids must be the same, ids where the vocabulary is the real one. */
function renderFault({ plain, lossless }: Case, tokenizer: Tokenizer): string | undefined {
  const { config, generate, text, count, sha256 } = plain as Rendered;
  const renderer = gptOss(tokenizer, { ...config, autoDropAnalysis: false, validate: "template" });
  const tools = toolsFromJson(lossless.get("tools") ?? []);
  const ids = renderer.renderIds(messagesFromJson(lossless.get("messages") ?? []), {
    tools,
    addGenerationPrompt: generate,
  });
  if (tokenizer.decode(ids) !== tokenizer.normalize(text)) return "text";
  if (tokenizer !== real) return undefined;
  const digest = createHash("sha256").update(ids.join()).digest("hex");
  return ids.length === count && digest === sha256 ? undefined : "ids";
}

/** Reads what Harmony read; a response that is canonical also renders to the same text again. */
function readFault({ plain }: Case, tokenizer: Tokenizer): string | undefined {
  const { completion, reasoning, content, calls } = plain as Read;
  const renderer = gptOss(tokenizer, { builtinTools: ["browser", "python"], patched: true, autoDropAnalysis: false });
  const parsed = renderer.parseResponse(tokenizer.encode(completion), { prompt });
  const normal = (text: string) => tokenizer.normalize(text);
  if (parsed.content !== normal(content)) return "content";
  if ((parsed.reasoning?.text ?? "") !== normal(reasoning)) return "reasoning";
  const bodies = parsed.toolCalls.map(({ name, raw, arguments: args }) => ({
    to: name === "python" || name?.startsWith("browser.") ? name : `functions.${name}`,
    body: name === "python" ? (args as { code: string }).code : raw,
  }));
  if (JSON.stringify(bodies) !== JSON.stringify(calls.map(({ to, body }) => ({ to, body: normal(body) }))))
    return "calls";
  return parsed.canonical && rendersTo(renderer, parsed) !== normal(completion) ? "canonical" : undefined;
}

function rendersTo(renderer: Renderer, parsed: Parameters<typeof toOpenAIMessage>[0]): string {
  const user = { role: "user", content: "hi" } as const;
  const before = renderer.renderIds([user], { addGenerationPrompt: true }).length;
  const ids = renderer.renderIds([user, toOpenAIMessage(parsed).message]);
  return renderer.tokenizer.decode(ids.subarray(before));
}

function gptOss(tokenizer: Tokenizer, config: Omit<GptOssConfigInput, "name">): Renderer {
  return createRenderer(tokenizer, { name: "gpt-oss", ...config });
}

function faults(all: readonly Case[], tokenizer: Tokenizer): string[] {
  return all.flatMap((one) => {
    const what = one.plain.kind === "render" ? renderFault(one, tokenizer) : readFault(one, tokenizer);
    return what === undefined ? [] : [`${what}: ${JSON.stringify(one.plain).slice(0, 2_000)}`];
  });
}

describe("what Harmony has recorded", () => {
  test("reads and renders to the same text here", () => {
    expect(recorded.length).toBeGreaterThan(100);
    expect(faults(recorded, light)).toEqual([]);
  });

  test("some of the responses are written to the letter as patched rendering writes them", () => {
    const renderer = gptOss(light, { builtinTools: ["browser", "python"], patched: true });
    const canonical = recorded.filter(
      ({ plain }) =>
        plain.kind === "read" && renderer.parseResponse(light.encode(plain.completion), { prompt }).canonical,
    );
    expect(canonical.length).toBeGreaterThan(5);
  });

  test.skipIf(real === undefined)("has the same ids with the real vocabulary", () => {
    expect(faults(recorded, real!)).toEqual([]);
  });
});

const python = process.env.TITO_BENCH_PYTHON || undefined;
const environment = {
  ...process.env,
  ...(fixtures === undefined ? {} : { TIKTOKEN_ENCODINGS_BASE: join(fixtures, "golden") }),
};
const canRun =
  real !== undefined &&
  python !== undefined &&
  spawnSync(python, ["-c", "import openai_harmony"], { env: environment }).status === 0;

if (!canRun)
  console.warn("No fixtures, or TITO_BENCH_PYTHON has no openai_harmony: only what Harmony has recorded is checked.");

test.skipIf(!canRun)(
  "new conversations have the ids that Harmony gives them",
  () => {
    const seed = Math.floor(Math.random() * 1e9);
    const { stdout, stderr, status } = spawnSync(python!, [join(here, "harmonyOracle.py"), String(seed), "500"], {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      env: environment,
    });
    expect(status, stderr).toBe(0);
    const fresh = cases(stdout);
    expect(fresh).toHaveLength(1_000);
    expect(faults(fresh, real!).slice(0, 3), `seed ${seed}`).toEqual([]);
  },
  300_000,
);
