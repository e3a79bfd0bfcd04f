/*
 * GLM-5.3: see glm.ts for the format that all GLM share. A preamble names the effort, and every turn has a thinking block:
 *
 *   [gMASK]<sop><|system|>Reasoning Effort: Max<|user|>{text}<|assistant|><think>{reasoning}</think>{content}…
 *
 * Results stand in the order of the calls that they answer, where the ids tell it beyond doubt. A bridge, which sees no ids
 * of calls, writes them in the order in which they come.
 */
import { type Glm53Config, glm53Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import type { ConversationMessage, ConversationToolCall } from "../messages/index.ts";
import { bindGlm, innerToolSpec } from "./glm.ts";

const EFFORTS = { low: "Low", high: "High", max: "Max" } as const;

export const glm53: Family<Glm53Config> = {
  config: glm53Config,
  bind(tokenizer, { clearThinking, reasoningEffort, patched }) {
    return bindGlm(tokenizer, {
      family: "glm-5.3",
      line: "",
      preamble: `Reasoning Effort: ${EFFORTS[reasoningEffort]}`,
      thinks: true,
      clearsThinking: clearThinking,
      prefill: "<think>",
      scaffolds: ["<think>"],
      emptyBlocks: "all",
      exactReasoning: true,
      noContent: { null: "", missing: "" },
      badArguments: "error",
      toolSpec: innerToolSpec,
      resultOrder,
      patched,
    });
  },
};

/** The order of the calls, if results and calls have the same ids and none of them twice; else as they come. */
function resultOrder(
  results: readonly ConversationMessage[],
  calls: readonly ConversationToolCall[],
): readonly number[] {
  const places = new Map(results.map(({ toolCallId }, place) => [toolCallId, place]));
  const order = [...new Set(calls.map(({ id }) => places.get(id)))];
  const isClear =
    order.length === calls.length &&
    order.length === results.length &&
    !places.has(undefined) &&
    !places.has("") &&
    !order.includes(undefined);
  return isClear ? (order as number[]) : [...results.keys()];
}
