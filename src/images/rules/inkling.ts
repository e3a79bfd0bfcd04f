import { TitoError } from "../../errors.ts";
import type { ImageProcessor } from "../types.ts";
import { checkCounts, sizeProcessor } from "./sizeProcessor.ts";

export interface InklingImageOptions {
  /**
   * By what the image is scaled before it is cut into patches: null for not at all. There is no default because engines
   * differ: transformers does not scale unless the model's config says so, some servers scale by 2. Use what yours uses.
   */
  readonly rescale: number | null;
  /** Greatest length of the longer side after scaling up; what is longer from the start stays as it is. */
  readonly maxUpscaledEdge?: number | null;
  readonly patchSize?: number;
}

/** Inkling: patches of 40 x 40, one token each; every row has one patch more than full ones fit. */
export function inklingImages(options: InklingImageOptions): ImageProcessor {
  const { rescale, maxUpscaledEdge = 2_048, patchSize = 40 } = options;
  const name = "inkling";
  checkCounts(name, maxUpscaledEdge === null ? { patchSize } : { patchSize, maxUpscaledEdge });
  if (rescale !== null && !(Number.isFinite(rescale) && rescale > 0)) {
    throw new TitoError("invalid_config", `${name}: rescale is ${rescale}. It must be a positive number, or null.`, {
      details: { processor: name, rescale },
    });
  }
  return sizeProcessor(name, (width, height) => {
    const scale = rescale === null ? 1 : upscale(Math.max(width, height), rescale, maxUpscaledEdge);
    const scaled = (side: number) => (scale === 1 ? side : Math.max(1, Math.floor(side * scale + 0.5)));
    const size = { width: scaled(width), height: scaled(height) };
    const rows = Math.ceil(size.height / patchSize);
    const columns = Math.floor(size.width / patchSize) + 1;
    return { tokens: rows * columns, size };
  });
}

function upscale(edge: number, by: number, max: number | null): number {
  const target = max === null ? edge * by : Math.min(edge * by, Math.max(max, edge));
  return target / edge;
}
