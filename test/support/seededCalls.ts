import { isDeepStrictEqual } from "node:util";
import { createRenderer, type Renderer, type ToolSpec, tokenizerFromGguf } from "../../src/index.ts";
import { toolName } from "../../src/messages/index.ts";
import { loadSampler, type SampleOptions, type Sampler, type Session, segmentPolicy } from "../../src/sampler/index.ts";
import { fits, schemaOf, schemaTools } from "./grammarUses.ts";
import { byteLevelVocabulary } from "./tinyVocabulary.ts";
import { writeTinyModel } from "./writeGguf.ts";

/** A model and a format whose calls are sampled with many seeds. */
export interface SeededSetting extends AsyncDisposable {
  readonly name: string;
  readonly renderer: Renderer;
  readonly session: Session;
  readonly prompt: Int32Array;
  readonly tools: readonly ToolSpec[];
  readonly options: SampleOptions;
}

export interface SeededOutcome {
  /** Calls that were written to their end. */
  readonly calls: number;
  /** Whether the last call was cut short by `maxTokens`. */
  readonly isCut: boolean;
}

/** JSON in tags, and arguments in tags of their own. */
export const seededFormats = ["qwen3", "qwen3.5"] as const;

/** Without free texts: a model that has never seen the tag which closes one does not draw it. */
const shortTools: readonly ToolSpec[] = [
  {
    type: "function",
    function: {
      name: "set",
      parameters: {
        type: "object",
        properties: {
          unit: { type: "string", enum: ["celsius", "fahrenheit"] },
          days: { type: "integer", minimum: 1, maximum: 14 },
          exact: { type: "boolean" },
        },
        required: ["unit", "exact"],
      },
    },
  },
];

/** A random-weight model that draws markers more often than it would. */
export async function randomSetting(path: string, format: (typeof seededFormats)[number]): Promise<SeededSetting> {
  const special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|vision_start|>", "<|vision_end|>"];
  const pads = ["<|image_pad|>", "<|video_pad|>"];
  const markers = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"];
  const words = ["</parameter>", "</function>", '"}', '",', "user", "assistant"];
  const vocabulary = byteLevelVocabulary({ words, special: [...special, ...pads], markers, eos: "<|im_end|>" });
  writeTinyModel(path, { vocabulary, seed: 7 });
  const likely = { "<tool_call>": 4, "</think>": 4, "</parameter>": 6, '"}': 4, '",': 3, "<|im_end|>": 0 };
  const bias = Object.entries(likely).flatMap(([text, by]) =>
    by > 0 ? [[vocabulary.tokens.lastIndexOf(text), by] as const] : [],
  );
  // A call in reasoning that nothing closes is one to the parser, and talk to the sampler.
  bias.push([vocabulary.tokens.lastIndexOf("<think>"), -100]);
  return setting(`random weights, ${format}`, path, format, { logitBias: new Map(bias), maxTokens: 160 });
}

/** The embedded model, at a temperature at which it no longer writes what it has learnt. */
export const embeddedSetting = (path: string, format: (typeof seededFormats)[number]): Promise<SeededSetting> =>
  setting(`embedded model, ${format}`, path, format, { maxTokens: 120 }, format === "qwen3" ? schemaTools : shortTools);

async function setting(
  name: string,
  path: string,
  format: (typeof seededFormats)[number],
  options: SampleOptions,
  tools = schemaTools,
): Promise<SeededSetting> {
  const sampler: Sampler = await loadSampler(path, { threads: 1, contextSize: 2048 });
  const config = format === "qwen3" ? { name: format } : { name: format, enableThinking: false };
  const renderer = createRenderer(tokenizerFromGguf(path), config);
  const messages = [{ role: "user" as const, content: "What is 12 + 345?" }];
  const prompt = renderer.renderIds(messages, { addGenerationPrompt: true });
  return {
    ...{ name, renderer, prompt, tools, session: await sampler.session() },
    options: { temperature: 1.5, logprobs: false, stop: renderer.stopTokenIds, ...options },
    [Symbol.asyncDispose]: () => sampler.close(),
  };
}

/**
 * Samples with one seed, held by the family's own lazy grammar and free.
 * @throws Error that says what does not hold: calls parse and fit their schemas, ids before the first trigger are those without a grammar
 */
export async function checkSeed(seeded: SeededSetting, seed: number): Promise<SeededOutcome> {
  const { renderer, session, prompt, tools, options } = seeded;
  const fail = (what: string, ids: Int32Array): never => {
    throw new Error(`${seeded.name}, seed ${seed}: ${what}: ${JSON.stringify(renderer.tokenizer.decode(ids))}`);
  };
  const segments = segmentPolicy(renderer, { tools, prompt, greedy: seed % 2 === 0 ? "off" : "syntax" });
  const held = await session.complete(prompt, { ...options, seed, segments });
  const free = await session.complete(prompt, { ...options, seed });
  const start = held.ids.indexOf(renderer.tokenizer.tokenToId("<tool_call>")!);
  const same = start < 0 || held.grammar === "dormant" ? Math.min(held.ids.length, free.ids.length) : start + 1;
  if (!isDeepStrictEqual(held.ids.subarray(0, same), free.ids.subarray(0, same)))
    fail("other ids before the trigger", held.ids);
  if (held.finish === "grammar_stuck") fail("nothing could follow", held.ids);
  const { toolCalls } = renderer.parseResponse(held.ids, { prompt, tools });
  const isCut = held.grammar === "grammar_incomplete";
  for (const [i, call] of toolCalls.entries()) {
    if (isCut && i === toolCalls.length - 1 && call.status !== "ok") continue;
    if (call.status !== "ok") fail(`call ${i} is ${call.status}`, held.ids);
    const tool = tools.find((one) => toolName(one) === call.name);
    if (tool === undefined || !fits(schemaOf(tool), call.arguments)) fail(`call ${i} does not fit`, held.ids);
  }
  return { calls: toolCalls.filter(({ status }) => status === "ok").length, isCut };
}
