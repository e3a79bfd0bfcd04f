import fc from "fast-check";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { Renderer } from "../renderers/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { turns } from "./conversations.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** What a model would have sampled for a conversation's last message, and the prompt before it. */
export interface SampledTurn {
  readonly prompt: Int32Array;
  readonly completion: Int32Array;
}

/** Cuts the last message, an assistant's, out of its conversation. Null if the format samples nothing of it. */
export function sampledTurn(
  renderer: Renderer,
  messages: readonly Message[],
  tools?: readonly ToolSpec[] | undefined,
): SampledTurn | null {
  const { tokenIds, sampledMask, messageIndices } = renderer.render(messages, { tools });
  let start = messageIndices.indexOf(messages.length - 1);
  while (start >= 0 && start < tokenIds.length && sampledMask[start] === 0) start++;
  if (start < 0 || start === tokenIds.length) return null;
  const end = sampledMask.lastIndexOf(1) + 1;
  return { prompt: tokenIds.slice(0, start), completion: tokenIds.slice(start, end) };
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
export function completions(renderer: Renderer): fc.Arbitrary<SampledTurn & { readonly tools: readonly ToolSpec[] }> {
  const { tokenizer } = renderer;
  const { words } = vocabularyOf(renderer);
  const user: Message = { role: "user", content: "hi" };
  const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
  const valid = turns({ words }).map(({ message, tools }) => {
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
