import type { Message } from "../src/messages/index.ts";
import { buildTrajectory } from "../src/renderers/index.ts";
import { Rollout } from "../src/rollout/index.ts";
import type { Bench } from "./bench.ts";
import { toolTrajectory } from "./generated.ts";
import type { Setting } from "./setting.ts";

/** A whole rollout without its sampling, and the same prompts by rendering the conversation anew before each turn. */
export async function benchRollout(bench: Bench, { renderer }: Setting, turns: number): Promise<void> {
  const { messages, tools } = toolTrajectory({ turns, words: 150 });
  const prompt = messages.slice(0, 2);
  const completions: Int32Array[] = [];
  const results: Message[] = [];
  for (let at = 2; at < messages.length - 1; at += 2) {
    // A turn's ids do not depend on the turns before it, as long as no user asks again.
    const split = { promptMessages: prompt, completionMessages: [messages[at]], tools };
    const { completionIds } = buildTrajectory(renderer, split);
    completions.push(completionIds.slice(0, completionIds.indexOf(renderer.stopTokenIds[0]) + 1));
    results.push(messages[at + 1]);
  }
  const play = () => {
    const rollout = new Rollout({ renderer, messages: prompt, tools });
    completions.forEach((ids, turn) => {
      const { message } = rollout.addCompletion({ ids });
      rollout.addMessages([{ ...results[turn], tool_call_id: message.tool_calls?.[0].id ?? "" }]);
    });
    return rollout;
  };
  const rerender = () => {
    const conversation = [...prompt];
    renderer.renderIds(conversation, { tools, addGenerationPrompt: true });
    completions.forEach((ids, turn) => {
      renderer.parseResponse(ids, { prompt: { reasoning: "closed" }, tools });
      conversation.push(messages[2 + 2 * turn], results[turn]);
      renderer.renderIds(conversation, { tools, addGenerationPrompt: true });
    });
  };
  await bench.measure({
    name: `rollout of ${turns} turns, ${play().promptIds.length} ids`,
    run: play,
    other: { name: "tito-rl, rendering each turn", run: rerender },
  });
}
