import type { MultimodalData, PlacedImage } from "./types.ts";

/** Ids and their images, as rendered or bridged. */
export interface WithImages {
  readonly tokenIds: { readonly length: number; readonly [index: number]: number };
  readonly multimodal?: MultimodalData | undefined;
}

/**
 * One number a token, as trainers' forward passes take it: 1 at image placeholders, 0 elsewhere. `map` (placeholder id →
 * type) marks by id, which also works on ids alone; without it the placed images are marked.
 */
export function mmTokenTypeIds(rendered: WithImages, map?: ReadonlyMap<number, number>): Int32Array {
  const { tokenIds, multimodal } = rendered;
  const types = new Int32Array(tokenIds.length);
  if (map) for (let i = 0; i < types.length; i++) types[i] = map.get(tokenIds[i]) ?? 0;
  else for (const { offset, length } of multimodal?.images ?? []) types.fill(1, offset, offset + length);
  return types;
}

/**
 * The images of a conversation after a bridge: those of the history, then those of the extension, moved to where they stand
 * now. `tokens` is the length of the ids before the extension (prompt + completion), `messages` the number of messages
 * before it.
 */
export function joinMultimodal(
  history: MultimodalData | undefined,
  extension: MultimodalData | undefined,
  before: { readonly tokens: number; readonly messages: number },
): MultimodalData | undefined {
  if (!extension?.images.length) return history;
  const moved = extension.images.map((image): PlacedImage => {
    return { ...image, offset: image.offset + before.tokens, message: image.message + before.messages };
  });
  return { images: [...(history?.images ?? []), ...moved] };
}
