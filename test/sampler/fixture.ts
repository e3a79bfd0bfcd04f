import { fileURLToPath } from "node:url";
import { TitoError } from "../../src/errors.ts";
import { type LoadSamplerOptions, loadSampler, type Sampler } from "../../src/sampler/index.ts";

/** The embedded model; it has the vocabulary of Qwen3. */
export const modelPath = fileURLToPath(new URL("../../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));

export const vocabSize = 151_936;
export const endOfTurn = 151_645;

/** `<|im_start|>user\nWhat is 12 + 345?<|im_end|>\n<|im_start|>assistant\n` */
export const prompt = [
  151644, 872, 198, 3838, 374, 220, 16, 17, 488, 220, 18, 19, 20, 30, 151645, 198, 151644, 77091, 198,
];

/** `\n<|im_start|>user\nAnd 7 * 8?<|im_end|>\n<|im_start|>assistant\n` */
export const bridge = [198, 151644, 872, 198, 3036, 220, 22, 353, 220, 23, 30, 151645, 198, 151644, 77091, 198];

/** One thread: llama.cpp's threads spin while they wait, and the suite shares its cores. */
export const open = (options: LoadSamplerOptions = {}): Promise<Sampler> =>
  loadSampler(modelPath, { threads: 1, contextSize: 256, ...options });

export async function errorOf(run: () => unknown): Promise<TitoError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof TitoError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

export function furthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  return Math.max(0, ...Array.from(a, (value, i) => Math.abs(value - b[i]!)));
}
