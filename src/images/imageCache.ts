import { createHash } from "node:crypto";
import type { ImageProcessor, ImageSource, ResolvedImage } from "./types.ts";

/** Results of processors by the content of what was processed; the one that was used least recently goes first. */
export interface ImageCache {
  get(processor: ImageProcessor, key: string): ResolvedImage | undefined;
  set(processor: ImageProcessor, key: string, image: ResolvedImage): void;
}

/** `max`: how many images are kept (`imageCacheMax` of a config); 0 keeps none. */
export function createImageCache(max: number): ImageCache {
  const entries = new Map<string, { readonly processor: ImageProcessor; readonly image: ResolvedImage }>();
  return {
    get(processor, key) {
      const entry = entries.get(key);
      if (!entry || entry.processor !== processor) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.image;
    },
    set(processor, key, image) {
      if (max <= 0) return;
      entries.delete(key);
      entries.set(key, { processor, image });
      if (entries.size > max) entries.delete(entries.keys().next().value!);
    },
  };
}

/** A short name of a source: equal names are equal contents (data, bytes) or equal places (paths, URLs). */
export function sourceKey(source: ImageSource): string {
  switch (source.kind) {
    case "data":
      return `data:${sha256(source.uri)}`;
    case "bytes":
      return `bytes:${sha256(source.bytes)}`;
    case "url":
      return `url:${sha256(source.url)}`;
    case "file":
      return `file:${sha256(source.path)}`;
  }
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64");
}
