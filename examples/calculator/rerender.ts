import { compileTemplate, type Rollout, type Tokenizer } from "tito-rl";

export interface RerenderedAccount {
  readonly breaks: number;
  readonly samples: number;
  /** Ids of history that were encoded again, over all turns. */
  readonly retokenized: number;
  /** Ids of all training samples together. */
  readonly trained: number;
  readonly seconds: number;
}

/**
 * What the same rollout becomes the usual way: every turn, the parsed messages go through the model's chat template and
 * the whole prompt is encoded anew. A prompt that does not start with the previous prompt + completion is a break.
 */
export function accountByRendering(rollout: Rollout, tokenizer: Tokenizer, chatTemplate: string): RerenderedAccount {
  const start = performance.now();
  const template = compileTemplate(chatTemplate);
  let breaks = 0;
  let retokenized = 0;
  let trained = 0;
  let previous: number[] = [];
  for (const turn of rollout.turns) {
    const upTo = rollout.messages.indexOf(turn.message);
    const text = template.render({
      messages: rollout.messages.slice(0, upTo),
      tools: rollout.tools ?? null,
      add_generation_prompt: true,
    });
    const prompt = tokenizer.encode(text);
    const keepsPast = previous.every((id, i) => prompt[i] === id);
    if (previous.length > 0) {
      retokenized += Math.min(previous.length, prompt.length);
      if (!keepsPast) {
        breaks++;
        trained += previous.length;
      }
    }
    previous = [...prompt, ...turn.completionIds];
  }
  return {
    breaks,
    samples: rollout.turns.length === 0 ? 0 : breaks + 1,
    retokenized,
    trained: trained + previous.length,
    seconds: (performance.now() - start) / 1000,
  };
}
