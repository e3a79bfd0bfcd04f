import { TitoError } from "../errors.ts";
import { type ImageCache, sourceKey } from "./imageCache.ts";
import { imagePart, placeOf } from "./imagePart.ts";
import { type ImageStore, resolvedImage } from "./imageStore.ts";
import { processImageSync } from "./processImage.ts";
import { readImage } from "./readImage.ts";
import type { ImageProcessor, ImageResolver, ImageSource, ResolvedImage } from "./types.ts";

export interface ImageResolverOptions {
  /** The renderer's own processor, or the family's built-in rule; without it only a store's processed images resolve. */
  readonly processor?: ImageProcessor | undefined;
  /** What `loadImages` gave. A processed image of it goes before the processor. */
  readonly store?: ImageStore | undefined;
  /** Kept by the renderer from call to call. */
  readonly cache?: ImageCache | undefined;
}

/**
 * Joins what is known of images: loaded ones, a processor, a cache. Build one for each render.
 *
 * @example
 * const images = imageResolver({ processor: qwenImages(), store: options.images, cache });
 * const { tokens } = images.resolve(part, "messages[0].content[1]");
 */
export function imageResolver({ processor, store, cache }: ImageResolverOptions): ImageResolver {
  return {
    resolve(part, at = "image part") {
      const source = imagePart(part, at);
      if (!source) {
        throw new TitoError("unsupported_content", `${at}: this is no image part. Resolve only parts of images.`, {
          details: { at },
        });
      }
      return resolveSource(source, at, processor, store, cache);
    },
  };
}

function resolveSource(
  source: ImageSource,
  at: string,
  processor: ImageProcessor | undefined,
  store: ImageStore | undefined,
  cache: ImageCache | undefined,
): ResolvedImage {
  const key = sourceKey(source);
  const stored = store?.entries.get(key);
  if (stored?.kind === "processed") return stored.image;
  if (!stored && (source.kind === "url" || source.kind === "file")) throw notLoaded(source, at);
  if (!processor) throw processorMissing(at);
  const cached = cache?.get(processor, key);
  // A path may hold another picture by now, and a store another one than the store before it.
  if (cached && (!stored || stored.image.hash === cached.hash)) return cached;
  const image = stored?.image ?? readImage(source, at);
  const resolved = resolvedImage(image, processImageSync(processor, image, at));
  cache?.set(processor, key, resolved);
  return resolved;
}

function notLoaded(source: ImageSource, at: string): TitoError {
  const place = placeOf(source);
  return new TitoError(
    "image_not_loaded",
    `${at}: ${place} is not loaded; rendering reads no files and no network. Call await loadImages(messages, { allow }) with allow.${
      source.kind === "url" ? "hosts" : "files"
    } and pass the result as the option images.`,
    { details: { at, place } },
  );
}

function processorMissing(at: string): TitoError {
  return new TitoError(
    "image_processor_missing",
    `${at}: nothing says how many tokens the model has for an image. Give the renderer an imageProcessor, a built-in rule such as inklingImages({ rescale }) or your own, or load the images with one (loadImages with transformersImageProcessor).`,
    { details: { at } },
  );
}
