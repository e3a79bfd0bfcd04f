import { TitoError } from "../errors.ts";
import type { AsyncImageProcessor, ImageData, ImageProcessor, ProcessedImage } from "./types.ts";

/** @throws TitoError `image_processor_failed` if the processor throws, or gives no usable number of tokens. */
export function processImageSync(processor: ImageProcessor, image: ImageData, at: string): ProcessedImage {
  try {
    return checked(processor.process(image), processor.name, at);
  } catch (cause) {
    throw failed(processor.name, image, at, cause);
  }
}

/** As `processImageSync`, of either kind of processor. An abort passes as it is. */
export async function processImage(
  processor: ImageProcessor | AsyncImageProcessor,
  image: ImageData,
  at: string,
  signal: AbortSignal,
): Promise<ProcessedImage> {
  try {
    return checked(await processor.process(image, { signal }), processor.name, at);
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw failed(processor.name, image, at, cause);
  }
}

function checked(processed: ProcessedImage, processor: string, at: string): ProcessedImage {
  const tokens: unknown = processed?.tokens;
  if (Number.isSafeInteger(tokens) && (tokens as number) > 0) return processed;
  throw new TitoError(
    "image_processor_failed",
    `${at}: the processor ${processor} gave ${String(tokens)} for the number of tokens. It must return a positive integer.`,
    { details: { at, processor, tokens } },
  );
}

function failed(processor: string, { mime, width, height }: ImageData, at: string, cause: unknown): unknown {
  if (cause instanceof TitoError) return cause;
  return new TitoError(
    "image_processor_failed",
    `${at}: the processor ${processor} failed on a ${mime} of ${width} x ${height} pixels. Its own error is the cause.`,
    { details: { at, processor, width, height }, cause },
  );
}
