import { buildTrainingSample } from "../src/renderers/index.ts";
import type { Bench } from "./bench.ts";
import { toolTrajectory } from "./generated.ts";
import type { Setting } from "./setting.ts";
import type { RenderWorkload, Workloads } from "./workloads.ts";

/** 40 turns of these are about 30k tokens. */
export const LONG_TURNS = 40;
const LONG_WORDS = 150;

export async function benchRecordedRenders(bench: Bench, setting: Setting, workloads: Workloads): Promise<void> {
  for (const name of ["short_chat", "long_tool"]) await benchRender(bench, setting, name, workloads.render(name));
}

export async function benchGeneratedRenders(bench: Bench, setting: Setting, sizes: readonly number[]): Promise<void> {
  for (const turns of sizes) {
    const { messages, tools } = toolTrajectory({ turns, words: LONG_WORDS });
    const given = { messages: messages.slice(0, -1), tools, add_generation_prompt: true };
    await benchRender(bench, setting, `generated ${turns} turns`, given);
  }
}

async function benchRender(bench: Bench, setting: Setting, shape: string, input: RenderWorkload): Promise<void> {
  const { vocabulary, renderer, clearCache: prepare } = setting;
  const { messages, tools } = input;
  const options = { tools, addGenerationPrompt: input.add_generation_prompt };
  const renderIds = () => renderer.renderIds(messages, options);
  const render = () => renderer.render(messages, options);
  const ids = { vocabulary, input, result: () => [...renderIds()] };

  for (const [cache, emptied] of [
    ["cold cache", { prepare }],
    ["warm", {}],
  ] as const) {
    const peer = { ...ids, work: "render_ids" } as const;
    await bench.measure({ name: `renderIds ${shape}, ${cache}`, run: renderIds, ...emptied, peer });
  }
  if (vocabulary.chatTemplate) {
    // Some templates print null where there are no tools.
    const given = tools ? input : { messages, add_generation_prompt: input.add_generation_prompt };
    const peer = { ...ids, input: given, work: "apply_chat_template" } as const;
    await bench.measure({
      name: `renderIds ${shape} against apply_chat_template, cold cache`,
      run: renderIds,
      prepare,
      peer,
    });
  }
  for (const [cache, emptied] of [
    ["cold cache", { prepare }],
    ["warm", {}],
  ] as const) {
    const result = () => columns(render());
    const peer = { vocabulary, input, result, work: "render" } as const;
    await bench.measure({ name: `render ${shape}, ${cache}`, run: render, ...emptied, peer });
  }
  const sample = () => buildTrainingSample(renderer, messages, { tools });
  await bench.measure({
    name: `buildTrainingSample ${shape}, warm`,
    run: sample,
    peer: { vocabulary, input: { messages, tools }, result: () => columns(sample()), work: "training_sample" },
  });
}

/** Typed arrays as JSON has them; names and roles of the messages left out. */
function columns(value: object): Record<string, number[]> {
  const arrays = Object.entries(value).filter(([, column]) => ArrayBuffer.isView(column));
  return Object.fromEntries(arrays.map(([name, column]) => [name, Array.from(column as Int32Array)]));
}
