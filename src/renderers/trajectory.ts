import type { Message, ToolSpec } from "../messages/index.ts";
import type { Renderer } from "./renderer.ts";

/**
 * A recorded conversation as prompt and completion: the ids of all messages, split where the prompt's own ids (with the
 * generation prompt) stop being their beginning.
 */
export function buildTrajectory(
  renderer: Renderer,
  options: {
    readonly promptMessages: readonly Message[];
    readonly completionMessages: readonly Message[];
    readonly tools?: readonly ToolSpec[] | null | undefined;
  },
): { readonly promptIds: Int32Array; readonly completionIds: Int32Array } {
  const { promptMessages, completionMessages, tools } = options;
  const prompt = renderer.renderIds(promptMessages, { tools, addGenerationPrompt: completionMessages.length > 0 });
  const all = renderer.renderIds([...promptMessages, ...completionMessages], { tools });
  let split = 0;
  while (split < prompt.length && split < all.length && prompt[split] === all[split]) split++;
  return { promptIds: all.slice(0, split), completionIds: all.slice(split) };
}
