import { lookup } from "node:dns/promises";
import { TitoError } from "../errors.ts";
import type { Message } from "../messages/index.ts";
import { sourceKey } from "./imageCache.ts";
import { imagePart } from "./imagePart.ts";
import { type ImageStore, imageStore, resolvedImage, type StoredImage } from "./imageStore.ts";
import { aborted } from "./loading/errors.ts";
import { fetchUrl } from "./loading/fetchUrl.ts";
import type { LoadImagesOptions, LoadLimits } from "./loading/options.ts";
import { readFile } from "./loading/readFile.ts";
import { processImage } from "./processImage.ts";
import { imageFromBytes, readImage } from "./readImage.ts";
import type { ImageData, ImageSource } from "./types.ts";

interface Found {
  readonly source: ImageSource;
  readonly at: string;
}

/**
 * Loads what rendering does not: images from files and hosts, as far as `allow` goes, and images that an asynchronous processor
 * has to see. Each place is read once, however often the messages name it.
 *
 * @throws TitoError `image_load_refused` for a place that is not allowed, `image_load_failed`, `invalid_image`,
 * `image_processor_failed`, `aborted`; `invalid_config` for an option out of range. Nothing is loaded by halves: the first
 * error ends it.
 * @example
 * const images = await loadImages(messages, { allow: { files: ["./screenshots"] } });
 * renderer.render(messages, { images });
 */
export async function loadImages(messages: readonly Message[], options: LoadImagesOptions = {}): Promise<ImageStore> {
  const { processor, concurrency = 8, maxBytes = 20 * 1024 * 1024, timeout = 30_000 } = options;
  checkOptions({ concurrency, maxBytes, timeout });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  const limits: LoadLimits = {
    allow: options.allow ?? {},
    maxBytes,
    timeout,
    signal,
    fetch: options.fetch,
    lookup: options.lookup ?? ((host) => lookup(host, { all: true })),
  };
  const loadOne = async ({ source, at }: Found): Promise<StoredImage> => {
    const image = await load(source, at, limits);
    if (!processor) return { kind: "read", image };
    return { kind: "processed", image: resolvedImage(image, await processImage(processor, image, at, signal)) };
  };
  const found = findImages(messages, processor !== undefined);
  const entries = new Map<string, StoredImage>();
  const waiting = found.entries();
  const work = async () => {
    for (const [key, one] of waiting) {
      signal.throwIfAborted();
      entries.set(key, await loadOne(one));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, found.size) }, work));
  } catch (error) {
    stop.abort(error);
    throw options.signal?.aborted ? aborted(options.signal) : error;
  }
  return imageStore(entries);
}

/** Every image that has to be loaded, by its key; data URIs and bytes only if they are to be processed. */
function findImages(messages: readonly Message[], all: boolean): Map<string, Found> {
  const found = new Map<string, Found>();
  messages.forEach(({ content }, message) => {
    if (!Array.isArray(content)) return;
    content.forEach((part: unknown, index) => {
      const at = `messages[${message}].content[${index}]`;
      const source = imagePart(part, at);
      if (!source || (!all && (source.kind === "data" || source.kind === "bytes"))) return;
      const key = sourceKey(source);
      if (!found.has(key)) found.set(key, { source, at });
    });
  });
  return found;
}

async function load(source: ImageSource, at: string, limits: LoadLimits): Promise<ImageData> {
  switch (source.kind) {
    case "url":
      return imageFromBytes(await fetchUrl(source.url, at, limits), at);
    case "file":
      return imageFromBytes(await readFile(source.path, at, limits), at);
    default:
      return readImage(source, at);
  }
}

function checkOptions(options: Readonly<Record<string, number>>): void {
  for (const [field, value] of Object.entries(options)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new TitoError("invalid_config", `loadImages: ${field} is ${value}. It must be a positive integer.`, {
      details: { field, value },
    });
  }
}
