import { type Completion, type Renderer, Rollout } from "../src/index.ts";
import type { SampleOptions, SamplingOptions } from "../src/sampler/index.ts";
import type { Episode } from "./environment.ts";
import { subSeed } from "./random.ts";

/** Whatever samples: exact ids in, ids and log-probabilities out. A `Session` is one. */
export interface Engine {
  complete(promptIds: Int32Array, options: SampleOptions): Promise<Completion>;
}

export interface Played {
  readonly id: number;
  readonly seed: number;
  readonly rollout: Rollout;
  readonly reward: number;
  /** Seconds that rendering, parsing and bridging took: everything but the model. */
  readonly clientSeconds: number;
}

export interface PlayOptions {
  readonly id: number;
  readonly seed: number;
  readonly renderer: Renderer;
  readonly session: Engine;
  readonly episode: Episode;
  readonly sampling: SamplingOptions;
  /** Ids that one turn may have. */
  readonly maxTokens: number;
  /** Ids that the whole rollout may have. */
  readonly maxSequenceLength: number;
  /** Throws where the next prompt does not begin with all that was prompted and sampled. Default false: `rollout.breaks` tells. */
  readonly unbroken?: boolean;
  readonly onTurn?: (tokens: number) => void;
}

/** Plays one episode: the model samples, the world answers, and the sequence only ever grows. */
export async function play(options: PlayOptions): Promise<Played> {
  const { id, seed, renderer, session, episode, sampling } = options;
  let clientSeconds = 0;
  const timed = <Result>(work: () => Result): Result => {
    const start = performance.now();
    const result = work();
    clientSeconds += (performance.now() - start) / 1000;
    return result;
  };
  const rollout = timed(
    () =>
      new Rollout({
        renderer,
        messages: episode.opening,
        tools: episode.tools,
        maxSequenceLength: options.maxSequenceLength,
      }),
  );
  while (!rollout.end) {
    const completion = await session.complete(rollout.promptIds, {
      ...sampling,
      stop: renderer.stopTokenIds,
      maxTokens: Math.min(options.maxTokens, rollout.room),
      seed: subSeed(seed, rollout.turns.length),
    });
    options.onTurn?.(completion.ids.length);
    const turn = timed(() => rollout.addCompletion(completion));
    const answer = episode.answer(turn);
    if (answer === null) break;
    const broken = timed(() => rollout.addMessages(answer));
    if (broken && options.unbroken) {
      throw new Error(`Episode ${id} breaks before turn ${broken.turn} (${broken.reason}): ${broken.message}`);
    }
  }
  return { id, seed, rollout, reward: episode.reward(), clientSeconds };
}
