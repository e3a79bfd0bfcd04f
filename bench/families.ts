import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RendererConfigInput, TitoError } from "../src/index.ts";
import { createRenderer } from "../src/renderers/index.ts";
import { families } from "../src/renderers/registry.ts";
import type { Tokenizer } from "../src/tokenizer/index.ts";
import type { Bench } from "./bench.ts";
import type { Setting } from "./setting.ts";
import { overlayVocabulary } from "./vocabularies.ts";
import type { BridgeWorkload, ParseWorkload, RenderWorkload, Workloads } from "./workloads.ts";

/** Every family on the recorded workloads, each against the Python renderer of that family. */
export async function benchFamilies(
  bench: Bench,
  fixtures: string,
  scratch: string,
  workloads: Workloads,
): Promise<void> {
  const parses = [500, 8000].map((size) => [size, readAll<ParseWorkload>(workloads, `parse_${size}`)] as const);
  const bridges = [1000, 128_000].map((size) => [size, readAll<BridgeWorkload>(workloads, `bridge_${size}`)] as const);
  for (const family of families.keys()) {
    if (!bench.wantsSome(`family ${family} `)) continue;
    const setting = await settingOf(family, fixtures, scratch);
    if (!setting) {
      bench.note(`family ${family}: no vocabulary`);
      continue;
    }
    await benchRender(bench, family, setting, workloads.render("long_tool"));
    for (const [size, all] of parses) if (all[family]) await benchParse(bench, family, setting, size, all[family]);
    for (const [size, all] of bridges) if (all[family]) await benchBridge(bench, family, setting, size, all[family]);
  }
}

function readAll<Workload>(workloads: Workloads, name: string): Readonly<Record<string, Workload>> {
  return JSON.parse(readFileSync(join(workloads.folder, `${name}.json`), "utf8")) as Record<string, Workload>;
}

async function settingOf(family: string, fixtures: string, scratch: string): Promise<Setting | undefined> {
  const vocabulary = overlayVocabulary(family, fixtures, scratch);
  if (!vocabulary) return undefined;
  const tokenizer = await vocabulary.load();
  const likePeer = family === "gpt-oss" ? { forceAnalysis: true, headerLoss: false } : {};
  const config = {
    name: family,
    contentSpecials: "template",
    validate: "template",
    ...likePeer,
  } as RendererConfigInput;
  const clearCache = () => (tokenizer as Tokenizer & { clearCache(): void }).clearCache();
  return { vocabulary, tokenizer, renderer: createRenderer(tokenizer, config), clearCache };
}

/** Merges across seams and kept white space differ from the peer's, so lengths say whether the work is the same. */
const alike = (theirs: unknown, ours: unknown): boolean => {
  const [a, b] = [lengthOf(theirs), lengthOf(ours)];
  return Math.abs(a - b) <= 0.02 * Math.max(a, b) + 2;
};

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : JSON.stringify(value ?? "").length);

async function benchRender(bench: Bench, family: string, setting: Setting, input: RenderWorkload): Promise<void> {
  const { vocabulary, renderer, clearCache } = setting;
  const options = { tools: input.tools, addGenerationPrompt: input.add_generation_prompt };
  const run = () => renderer.renderIds(input.messages, options);
  try {
    run();
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return bench.note(`family ${family} renders no long_tool: ${error.code}`);
  }
  const peer = { work: "render_ids", vocabulary, input, result: () => [...run()], same: alike } as const;
  await bench.measure({ name: `family ${family} renderIds long_tool, cold cache`, run, prepare: clearCache, peer });
  await bench.measure({ name: `family ${family} renderIds long_tool, warm`, run, peer });
}

async function benchParse(
  bench: Bench,
  family: string,
  { vocabulary, renderer }: Setting,
  size: number,
  workload: ParseWorkload,
) {
  const prompt = Int32Array.from(workload.prompt_ids);
  const ids = Int32Array.from(workload.completion_ids);
  const run = () => renderer.parseResponse(ids, { prompt, tools: workload.tools });
  const result = () => {
    const { content, reasoning, toolCalls } = run();
    return {
      content,
      reasoning: reasoning?.text ?? null,
      calls: toolCalls.map((call) => ({ name: call.name, arguments: call.arguments })),
    };
  };
  const input = { token_ids: workload.completion_ids, prompt_ids: workload.prompt_ids, tools: workload.tools };
  await bench.measure({
    name: `family ${family} parse ${size}`,
    run,
    peer: { work: "parse", vocabulary, input, result, same: alike },
  });
}

async function benchBridge(
  bench: Bench,
  family: string,
  { vocabulary, renderer }: Setting,
  size: number,
  workload: BridgeWorkload,
) {
  const request = {
    promptIds: Int32Array.from(workload.prev_prompt_ids),
    completionIds: Int32Array.from(workload.prev_completion_ids),
    newMessages: workload.new_messages,
    tools: workload.tools,
  };
  const run = () => renderer.bridgeToNextTurn(request);
  const result = () => {
    const bridge = run();
    return bridge.ok ? [...request.promptIds, ...request.completionIds, ...bridge.extension.tokenIds] : null;
  };
  const input = {
    previous_prompt_ids: workload.prev_prompt_ids,
    previous_completion_ids: workload.prev_completion_ids,
    new_messages: workload.new_messages,
    tools: workload.tools,
  };
  await bench.measure({
    name: `family ${family} bridge ${size}`,
    run,
    peer: { work: "bridge", vocabulary, input, result, same: alike },
  });
}
