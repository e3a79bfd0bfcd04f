import { TitoError } from "../../errors.ts";
import type { ImageProcessor, ProcessedImage } from "../types.ts";

/** A rule that needs an image's size only. Sizes are pixels, positive integers. */
export type SizeRule = (width: number, height: number) => ProcessedImage;

/** A processor that gives no pixel values: enough for ids, and for engines that process the image themselves. */
export function sizeProcessor(name: string, rule: SizeRule): ImageProcessor {
  return { name, process: ({ width, height }) => rule(width, height) };
}

/** The refusal of an image that a model's own processor refuses, too. Returned, not thrown. */
export function refusedSize(name: string, width: number, height: number, why: string): TitoError {
  return new TitoError(
    "invalid_image",
    `${name}: an image of ${width} x ${height} pixels ${why}. Crop or pad it before it goes in.`,
    { details: { processor: name, width, height } },
  );
}

/** @throws TitoError `invalid_config` unless all options are positive integers. */
export function checkCounts(name: string, options: Readonly<Record<string, number>>): void {
  for (const [field, value] of Object.entries(options)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new TitoError("invalid_config", `${name}: ${field} is ${value}. It must be a positive integer.`, {
      details: { processor: name, field, value },
    });
  }
}

/** Rounds a half to the even neighbour, as Python's `round` does; for numbers that are not negative. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
