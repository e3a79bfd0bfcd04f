import type { ImageData, ProcessedImage, ResolvedImage } from "./types.ts";

/** What `loadImages` has read, by source; hand it to `render` and `bridgeToNextTurn` as `images`. Opaque, immutable. */
export interface ImageStore {
  readonly kind: "imageStore";
  /** How many images it holds. */
  readonly size: number;
  /** @internal */
  readonly entries: ReadonlyMap<string, StoredImage>;
}

/** Bytes only, or already processed where `loadImages` was given a processor. */
export type StoredImage =
  | { readonly kind: "read"; readonly image: ImageData }
  | { readonly kind: "processed"; readonly image: ResolvedImage };

/** The images of several stores; of two for one source the later counts. */
export function mergeImageStores(...stores: readonly ImageStore[]): ImageStore {
  return imageStore(new Map(stores.flatMap((store) => [...store.entries])));
}

/** @internal */
export function imageStore(entries: ReadonlyMap<string, StoredImage>): ImageStore {
  return { kind: "imageStore", size: entries.size, entries };
}

/** @internal */
export function resolvedImage(image: ImageData, processed: ProcessedImage): ResolvedImage {
  return { ...processed, hash: image.hash, hashOf: image.hashOf, width: image.width, height: image.height };
}
