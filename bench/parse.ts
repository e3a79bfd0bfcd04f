import { buildTrajectory } from "../src/renderers/index.ts";
import type { Bench } from "./bench.ts";
import { toolTrajectory } from "./generated.ts";
import type { Setting } from "./setting.ts";
import type { ParseWorkload, Workloads } from "./workloads.ts";

export async function benchRecordedParses(bench: Bench, setting: Setting, workloads: Workloads): Promise<void> {
  for (const ids of [500, 8000]) await benchParse(bench, setting, `recorded ${ids} ids`, workloads.parse(ids));
}

export async function benchGeneratedParses(bench: Bench, setting: Setting, words: readonly number[]): Promise<void> {
  for (const size of words) {
    const workload = oneTurn(setting, size);
    await benchParse(bench, setting, `generated ${workload.completion_ids.length} ids`, workload);
  }
}

/** A turn with reasoning, content and a call, as the model would sample it. */
function oneTurn({ renderer }: Setting, words: number): ParseWorkload {
  const { messages, tools } = toolTrajectory({ turns: 1, words });
  const [system, user, assistant] = messages;
  const split = { promptMessages: [system, user], completionMessages: [assistant], tools };
  const { promptIds, completionIds } = buildTrajectory(renderer, split);
  const end = completionIds.indexOf(renderer.stopTokenIds[0]) + 1;
  return { prompt_ids: [...promptIds], completion_ids: [...completionIds.subarray(0, end)], tools };
}

async function benchParse(bench: Bench, { vocabulary, renderer }: Setting, shape: string, workload: ParseWorkload) {
  const { tools } = workload;
  const prompt = Int32Array.from(workload.prompt_ids);
  const ids = Int32Array.from(workload.completion_ids);
  const parse = () => renderer.parseResponse(ids, { prompt, tools });
  const result = () => {
    const { content, reasoning, toolCalls } = parse();
    const calls = toolCalls.map((call) => ({ name: call.name, arguments: call.arguments }));
    return { content, reasoning: reasoning ? reasoning.text : null, calls };
  };
  const input = { token_ids: workload.completion_ids, prompt_ids: workload.prompt_ids, tools };
  await bench.measure({ name: `parse ${shape}`, run: parse, peer: { work: "parse", vocabulary, input, result } });

  const single = Array.from(ids, (_, i) => ids.subarray(i, i + 1));
  await bench.measure({
    name: `parse ${shape}, streamed in pushes of 1 id`,
    run: () => {
      const parser = renderer.parser({ prompt, tools });
      for (const id of single) parser.push(id);
      return parser.end();
    },
    other: { name: "tito-rl, one push", run: parse },
  });
}
