import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, ToolSpec } from "../src/index.ts";

/** Recorded inputs, as the fixtures' folder `workloads` has them. */
export interface RenderWorkload {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[] | null;
  readonly add_generation_prompt: boolean;
}

export interface ParseWorkload {
  readonly prompt_ids: readonly number[];
  readonly completion_ids: readonly number[];
  readonly tools: readonly ToolSpec[] | null;
}

export interface BridgeWorkload {
  readonly prev_prompt_ids: readonly number[];
  readonly prev_completion_ids: readonly number[];
  readonly new_messages: readonly Message[];
  readonly tools: readonly ToolSpec[] | null;
}

export interface Workloads {
  readonly folder: string;
  render(name: string): RenderWorkload;
  parse(ids: number): ParseWorkload;
  bridge(ids: number): BridgeWorkload;
}

export function recordedWorkloads(fixtures: string): Workloads | undefined {
  const folder = join(fixtures, "workloads");
  if (!existsSync(folder)) return undefined;
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  return {
    folder,
    render: (name) => read(name),
    parse: (ids) => read(`parse_${ids}`).qwen3,
    bridge: (ids) => read(`bridge_${ids}`).qwen3,
  };
}
