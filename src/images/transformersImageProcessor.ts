import { TitoError } from "../errors.ts";
import { numbersOf, type TransformersOutput, tokensOf } from "./transformersOutput.ts";
import type { AsyncImageProcessor, ImageData, ImageProcessor, ProcessedImage } from "./types.ts";

/** A processor of `@huggingface/transformers`, or its image processor: called with an image, it answers with tensors. */
export interface TransformersProcessor {
  (image: unknown): Promise<unknown> | unknown;
  readonly image_processor?: unknown;
  readonly config?: unknown;
}

/** What is used of the package `@huggingface/transformers`. */
export interface TransformersPackage {
  readonly AutoImageProcessor?: Loader;
  readonly AutoProcessor?: Loader;
  readonly RawImage: {
    new (data: Uint8Array, width: number, height: number, channels: 3): unknown;
    fromBlob(blob: Blob): Promise<{ rgb(): unknown }>;
  };
}

interface Loader {
  from_pretrained(model: string, options?: object): Promise<unknown>;
}

export interface TransformersImageProcessorOptions {
  /** Options of `from_pretrained`: `revision`, `cache_dir`, `local_files_only` … */
  readonly load?: object | undefined;
  /**
   * The number of tokens, out of the processor's output. Unless set, it is read from `image_grid_thw` and `merge_size`,
   * `num_soft_tokens_per_image` or `num_tokens`. Kimi K2.5 takes `() => 1`.
   */
  readonly tokens?: ((output: TransformersOutput, image: ImageData) => number) | undefined;
  /**
   * A built-in rule that the processor has to agree with on the number of tokens. transformers.js rounds some sizes
   * otherwise than the Python package, with which models were trained and engines count.
   */
  readonly rule?: ImageProcessor | undefined;
  /** The package, if it is not to be imported by its name. */
  readonly transformers?: TransformersPackage | undefined;
}

/**
 * Wraps an image processor of `@huggingface/transformers` (an optional peer, imported at the first image), for `loadImages`.
 * Its whole output becomes `values`. It has to be called once for each image, because values go with their image.
 *
 * @param source a model's name or folder, or a processor that is loaded already.
 * @throws TitoError when an image is processed: `image_processor_missing` if the package is not installed,
 * `image_processor_failed` if the processor cannot be loaded or used, or disagrees with `rule`.
 * @example
 * const processor = transformersImageProcessor("Qwen/Qwen3-VL-4B-Instruct", { rule: qwenImages() });
 * const images = await loadImages(messages, { processor });
 */
export function transformersImageProcessor(
  source: string | TransformersProcessor,
  options: TransformersImageProcessorOptions = {},
): AsyncImageProcessor {
  const name = typeof source === "string" ? `transformers (${source})` : "transformers";
  let ready: Promise<{ transformers: TransformersPackage; processor: TransformersProcessor }> | undefined;
  const start = async () => {
    const transformers = options.transformers ?? (await importTransformers(name));
    return { transformers, processor: imageProcessorOf(await load(source, transformers, options.load), name) };
  };
  return {
    name,
    async process(image, { signal }) {
      // A load that failed, for want of a network perhaps, is tried again with the next image.
      ready ??= start().catch((error) => {
        ready = undefined;
        throw error;
      });
      const { transformers, processor } = await ready;
      signal?.throwIfAborted();
      const output = (await processor(await rawImage(image, transformers))) as TransformersOutput;
      const tokens = options.tokens?.(output, image) ?? tokensOf(output, processor.config, name);
      const expected = options.rule?.process(image).tokens;
      if (expected !== undefined && expected !== tokens) throw disagreement(name, image, tokens, expected);
      return { tokens, ...gridOf(output), values: output };
    },
  };
}

async function importTransformers(name: string): Promise<TransformersPackage> {
  // Not a literal: the package is optional, and may be missing where this is compiled.
  const specifier: string = "@huggingface/transformers";
  try {
    return (await import(specifier)) as TransformersPackage;
  } catch (cause) {
    throw new TitoError(
      "image_processor_missing",
      `${name}: the package @huggingface/transformers cannot be imported. Install it (npm install @huggingface/transformers).`,
      { details: { processor: name }, cause },
    );
  }
}

async function load(
  source: string | TransformersProcessor,
  transformers: TransformersPackage,
  options: object | undefined,
): Promise<unknown> {
  if (typeof source !== "string") return source;
  const loader = transformers.AutoImageProcessor ?? transformers.AutoProcessor;
  try {
    return await loader?.from_pretrained(source, options);
  } catch (cause) {
    throw unusable(`transformers (${source})`, "the processor cannot be loaded", cause);
  }
}

function imageProcessorOf(loaded: unknown, name: string): TransformersProcessor {
  const part = (loaded as TransformersProcessor | undefined)?.image_processor ?? loaded;
  if (typeof part === "function") return part as TransformersProcessor;
  throw unusable(name, "this is no processor of @huggingface/transformers with an image processor");
}

/** Our own pixels where there are some, so that what is hashed is what the model sees. */
async function rawImage(image: ImageData, { RawImage }: TransformersPackage): Promise<unknown> {
  const pixels = image.pixels();
  if (pixels) return new RawImage(pixels, image.width, image.height, 3);
  return (await RawImage.fromBlob(new Blob([new Uint8Array(image.bytes)], { type: image.mime }))).rgb();
}

function gridOf(output: TransformersOutput): Pick<ProcessedImage, "grid"> {
  const grid = numbersOf(output.image_grid_thw ?? output.grid_thws);
  return grid ? { grid } : {};
}

function disagreement(name: string, { width, height }: ImageData, tokens: number, expected: number): TitoError {
  return new TitoError(
    "image_processor_failed",
    `${name}: ${width} x ${height} pixels give ${tokens} tokens, but ${expected} by the model's rule. Resize the image to what the rule says (its size) before it goes in.`,
    { details: { processor: name, width, height, tokens, expected } },
  );
}

function unusable(name: string, what: string, cause?: unknown): TitoError {
  return new TitoError(
    "image_processor_failed",
    `${name}: ${what}. Check the model's name and its preprocessor config.`,
    {
      details: { processor: name },
      cause,
    },
  );
}
