import type { ImageProcessor } from "../types.ts";
import { checkCounts, refusedSize, roundHalfEven, sizeProcessor } from "./sizeProcessor.ts";

export interface NemotronImageOptions {
  readonly patchSize?: number;
  /** Patches along each side that become one token. */
  readonly mergeSize?: number;
  readonly minPatches?: number;
  readonly maxPatches?: number;
}

/**
 * Nemotron 3.5 with vision (`nemotron_h_omni`): the grid of patches is scaled into bounds and rounded so that each side is a
 * multiple of two patches; one token for two by two patches. An engine served with a context so short that an image may
 * not have `maxPatches` (below about 3,300 tokens), or that shares its budget among several images, uses a smaller grid:
 * set `maxPatches` to its own.
 */
export function nemotronImages(options: NemotronImageOptions = {}): ImageProcessor {
  const { patchSize = 16, mergeSize = 2, minPatches = 1_024, maxPatches = 13_312 } = options;
  const name = "nemotron-3.5";
  checkCounts(name, { patchSize, mergeSize, minPatches, maxPatches });
  return sizeProcessor(name, (width, height) => {
    let rows = roundHalfEven(height / patchSize + 0.5);
    let columns = roundHalfEven(width / patchSize + 0.5);
    const shrink = Math.min(Math.sqrt(maxPatches / (rows * columns)), 1);
    rows = Math.floor(shrink * rows);
    columns = Math.floor(shrink * columns);
    if (rows === 0 || columns === 0) throw refusedSize(name, width, height, "is too thin to have a row of patches");
    if (maxPatches > minPatches && rows * columns < minPatches) {
      const grow = Math.sqrt(minPatches / (rows * columns));
      rows = Math.ceil(grow * rows);
      columns = Math.ceil(grow * columns);
    }
    rows = toMultiple(rows, columns, mergeSize, maxPatches);
    columns = toMultiple(columns, rows, mergeSize, maxPatches);
    return {
      tokens: (rows * columns) / mergeSize ** 2,
      grid: [1, rows, columns],
      size: { width: columns * patchSize, height: rows * patchSize },
    };
  });
}

/** Up to the next multiple if there is room for it, else down. */
function toMultiple(side: number, other: number, of: number, max: number): number {
  const rest = side % of;
  if (rest === 0) return side;
  const up = side + of - rest;
  return up * other <= max ? up : Math.max(of, side - rest);
}
