import { buildTrajectory } from "../src/renderers/index.ts";
import type { Bench } from "./bench.ts";
import { toolTrajectory } from "./generated.ts";
import type { Setting } from "./setting.ts";
import type { BridgeWorkload, Workloads } from "./workloads.ts";

export async function benchRecordedBridges(bench: Bench, setting: Setting, workloads: Workloads): Promise<void> {
  const sizes = [1000, 8000, 32000, 128000];
  await benchBridges(bench, setting, "recorded", new Map(sizes.map((size) => [size, workloads.bridge(size)])));
}

export async function benchGeneratedBridges(bench: Bench, setting: Setting, sizes: readonly number[]): Promise<void> {
  await benchBridges(bench, setting, "generated", new Map(sizes.map((size) => [size, longHistory(setting, size)])));
}

/** Turns until the history has about so many ids; then one more, whose result is new. */
function longHistory({ renderer }: Setting, size: number): BridgeWorkload {
  // A turn of 150 words is about 750 ids; below one turn the words have to be fewer.
  const [turns, words] = size < 2000 ? [1, 60] : [Math.round(size / 750), 150];
  const { messages, tools } = toolTrajectory({ turns: turns + 1, words });
  const past = messages.slice(0, -3);
  const split = { promptMessages: past, completionMessages: [messages[past.length]], tools };
  const { promptIds, completionIds } = buildTrajectory(renderer, split);
  const end = completionIds.indexOf(renderer.stopTokenIds[0]) + 1;
  return {
    prev_prompt_ids: [...promptIds],
    prev_completion_ids: [...completionIds.subarray(0, end)],
    new_messages: [{ role: "tool", tool_call_id: `call_${turns}`, content: "total 12\n-rw-r--r-- 340 a.txt\n" }],
    tools,
  };
}

async function benchBridges(
  bench: Bench,
  { vocabulary, renderer }: Setting,
  shape: string,
  workloads: ReadonlyMap<number, BridgeWorkload>,
): Promise<void> {
  const bridges = new Map<number, () => unknown>();
  for (const [size, workload] of workloads) {
    const { prev_prompt_ids, prev_completion_ids, new_messages: newMessages, tools } = workload;
    const history = `bridge ${shape}, ${size / 1000}k of history`;
    const input = {
      previous_prompt_ids: prev_prompt_ids,
      previous_completion_ids: prev_completion_ids,
      new_messages: newMessages,
      tools,
    };
    for (const kind of ["Int32Array", "number[]"] as const) {
      const typed = kind === "Int32Array";
      const promptIds = typed ? Int32Array.from(prev_prompt_ids) : prev_prompt_ids;
      const completionIds = typed ? Int32Array.from(prev_completion_ids) : prev_completion_ids;
      const bridge = () => renderer.bridgeToNextTurn({ promptIds, completionIds, newMessages, tools });
      const result = () => {
        const bridged = bridge();
        return bridged.ok ? [...promptIds, ...completionIds, ...bridged.extension.tokenIds] : null;
      };
      if (typed) bridges.set(size, bridge);
      const peer = { work: "bridge", vocabulary, input, result } as const;
      await bench.measure({ name: `${history}, ${kind}`, run: bridge, peer });
    }
  }
  const [shortest, longest] = [Math.min(...bridges.keys()), Math.max(...bridges.keys())];
  const [short, long] = [bridges.get(shortest), bridges.get(longest)];
  if (!short || !long) return;
  const other = { name: `tito-rl, ${shortest / 1000}k`, run: short };
  await bench.measure({ name: `bridge ${shape}, ${longest / 1000}k against ${shortest / 1000}k`, run: long, other });
}
