import type { ImageProcessor } from "../types.ts";
import { checkCounts, refusedSize, roundHalfEven, sizeProcessor } from "./sizeProcessor.ts";

export interface QwenImageOptions {
  /** Least and greatest number of pixels after resizing: `size.shortest_edge` and `size.longest_edge` of the model's config. */
  readonly minPixels?: number;
  readonly maxPixels?: number;
  /** Side of a patch in pixels. */
  readonly patchSize?: number;
  /** Patches along each side that are merged to one token. */
  readonly mergeSize?: number;
}

/**
 * Qwen3-VL, Qwen3.5, 3.6 and 3.8: both sides are rounded to multiples of patch x merge, with the number of pixels kept within
 * bounds; one token for each merged square. Defaults are those of the published `preprocessor_config.json`.
 */
export function qwenImages(options: QwenImageOptions = {}): ImageProcessor {
  const { minPixels = 65_536, maxPixels = 16_777_216, patchSize = 16, mergeSize = 2 } = options;
  const name = "qwen";
  checkCounts(name, { minPixels, maxPixels, patchSize, mergeSize });
  const unit = patchSize * mergeSize;
  return sizeProcessor(name, (width, height) => {
    if (Math.max(width, height) / Math.min(width, height) > 200) {
      throw refusedSize(
        name,
        width,
        height,
        "is more than 200 times as long as it is wide, which the model does not take",
      );
    }
    const size = fitPixels(width, height, unit, minPixels, maxPixels);
    const grid = [1, size.height / patchSize, size.width / patchSize];
    return { tokens: Math.floor((grid[1] * grid[2]) / mergeSize ** 2), grid, size };
  });
}

/** The order of the divisions is transformers' own: another one rounds some sizes to the other side. */
function fitPixels(width: number, height: number, unit: number, minPixels: number, maxPixels: number) {
  const rounded = {
    width: roundHalfEven(width / unit) * unit,
    height: roundHalfEven(height / unit) * unit,
  };
  const pixels = rounded.width * rounded.height;
  if (pixels > maxPixels) {
    const shrink = Math.sqrt((height * width) / maxPixels);
    const scaled = (side: number) => Math.max(unit, Math.floor(side / shrink / unit) * unit);
    return { width: scaled(width), height: scaled(height) };
  }
  if (pixels < minPixels) {
    const grow = Math.sqrt(minPixels / (height * width));
    const scaled = (side: number) => Math.ceil((side * grow) / unit) * unit;
    return { width: scaled(width), height: scaled(height) };
  }
  return rounded;
}
