import fc from "fast-check";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { Renderer } from "../renderers/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { type TurnLimits, turns } from "./conversations.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** What a model would have sampled for a conversation's last message, and the prompt before it. */
export interface SampledTurn {
  readonly prompt: Int32Array;
  readonly completion: Int32Array;
}

/**
 * Cuts the last message, an assistant's, out of its conversation: the prompt as it was, and what follows it encoded by itself,
 * as a model samples it. Null if the format samples nothing of the message.
 */
export function sampledTurn(
  renderer: Renderer,
  messages: readonly Message[],
  tools?: readonly ToolSpec[] | undefined,
): SampledTurn | null {
  const { tokenizer } = renderer;
  const { tokenIds, sampledMask, messageIndices } = renderTurn(renderer, messages, tools);
  const end = sampledMask.lastIndexOf(1) + 1;
  const prompt = renderer.renderIds(messages.slice(0, -1), { tools, addGenerationPrompt: true });
  const promptText = tokenizer.decode(prompt);
  const text = tokenizer.decode(tokenIds.subarray(0, end));
  if (end > 0 && text.startsWith(promptText)) {
    // Where the ids agree there is no seam, and the ids are the truth.
    const agrees = prompt.every((id, i) => tokenIds[i] === id);
    const completion = agrees ? tokenIds.slice(prompt.length, end) : tokenizer.encode(text.slice(promptText.length));
    return { prompt, completion };
  }
  let start = messageIndices.indexOf(messages.length - 1);
  while (start >= 0 && start < tokenIds.length && sampledMask[start] === 0) start++;
  if (start < 0 || start === tokenIds.length) return null;
  return { prompt: tokenIds.slice(0, start), completion: tokenIds.slice(start, end) };
}

/** Some formats write the end of a turn only before what follows. */
function renderTurn(renderer: Renderer, messages: readonly Message[], tools: readonly ToolSpec[] | undefined) {
  const rendered = renderer.render(messages, { tools });
  const last = rendered.tokenIds[rendered.sampledMask.lastIndexOf(1)];
  if (renderer.stopTokenIds.includes(last)) return rendered;
  return renderer.render([...messages, { role: "tool", content: "" }], { tools, orphanResults: true });
}

/** Any ids at all, also such that no vocabulary has; markers more often than chance has them. */
export function anyIds(tokenizer: Tokenizer): fc.Arbitrary<number[]> {
  const added = tokenizer.addedTokens.map((token) => token.id);
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...(added.length > 0 ? added : [0])) },
    { weight: 6, arbitrary: fc.integer({ min: 0, max: tokenizer.vocabSize - 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(-1, tokenizer.vocabSize, 2 ** 31 - 1) },
  );
  return fc.array(piece, { maxLength: 60 });
}

/** Completions of one user message: as the format has them, cut short, damaged, or any ids at all. */
export function completions(
  renderer: Renderer,
  limits: TurnLimits = {},
): fc.Arbitrary<SampledTurn & { readonly tools: readonly ToolSpec[] }> {
  const { tokenizer } = renderer;
  const { words } = vocabularyOf(renderer);
  const user: Message = { role: "user", content: "hi" };
  const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
  const valid = turns({ ...limits, words }).map(({ message, tools }) => {
    const turn = sampledTurn(renderer, [user, message], tools);
    return { prompt, completion: new Int32Array(0), ...turn, tools };
  });
  const noise = anyIds(tokenizer);
  return fc.oneof(
    valid,
    fc
      .tuple(valid, fc.nat())
      .map(([turn, at]) => ({ ...turn, completion: turn.completion.slice(0, at % (turn.completion.length + 1)) })),
    fc.tuple(valid, fc.nat(), fc.nat(4), noise).map(([turn, at, drop, insert]) => {
      const ids = Array.from(turn.completion);
      ids.splice(at % (ids.length + 1), drop, ...insert.slice(0, 5));
      return { ...turn, completion: Int32Array.from(ids) };
    }),
    noise.map((ids) => ({ prompt, completion: Int32Array.from(ids), tools: [] })),
  );
}
