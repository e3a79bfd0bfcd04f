import type { ImageProcessor } from "../types.ts";
import { checkCounts, sizeProcessor } from "./sizeProcessor.ts";

export interface KimiImageOptions {
  readonly patchSize?: number;
  readonly mergeSize?: number;
  /** Greatest number of patches of an image: `in_patch_limit` of the model's config. */
  readonly maxPatches?: number;
  /** Greatest number of patches along a side: `patch_limit_on_one_side`. */
  readonly maxPatchesPerSide?: number;
}

/**
 * Kimi K2.5 and K2.6: one placeholder an image, whatever its size, because the model expands it itself. `grid` and `size` are
 * what its vision tower gets: never scaled up, scaled down to the limits, then padded to multiples of patch x merge.
 */
export function kimiImages(options: KimiImageOptions = {}): ImageProcessor {
  const { patchSize = 14, mergeSize = 2, maxPatches = 16_384, maxPatchesPerSide = 512 } = options;
  const name = "kimi-k2.5";
  checkCounts(name, { patchSize, mergeSize, maxPatches, maxPatchesPerSide });
  const maxSide = maxPatchesPerSide * patchSize;
  const unit = patchSize * mergeSize;
  const patches = (side: number) => Math.max(1, Math.floor(side / patchSize));
  return sizeProcessor(name, (width, height) => {
    const byCount = Math.sqrt(maxPatches / (patches(height) * patches(width)));
    const scale = Math.min(1, byCount, maxSide / height, maxSide / width);
    const padded = (side: number) => {
      const scaled = Math.min(maxSide, Math.max(1, Math.floor(side * scale)));
      return Math.ceil(scaled / unit) * unit;
    };
    const size = { width: padded(width), height: padded(height) };
    return { tokens: 1, grid: [1, size.height / patchSize, size.width / patchSize], size };
  });
}
