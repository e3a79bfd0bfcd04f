import { TitoError } from "../../errors.ts";
import type { ImageProcessor } from "../types.ts";
import { refusedSize, sizeProcessor } from "./sizeProcessor.ts";

export interface GemmaImageOptions {
  /** Greatest number of tokens of an image: `max_soft_tokens`, which the model knows in five sizes. */
  readonly maxTokens?: 70 | 140 | 280 | 560 | 1120;
}

const patchSize = 16;
const pooling = 3;
const unit = patchSize * pooling;

/**
 * Gemma 4: the image is scaled, up or down, to the largest size of about its shape whose sides are multiples of 48 and that
 * stays within the tokens; one token for each square of 48 x 48.
 */
export function gemmaImages({ maxTokens = 280 }: GemmaImageOptions = {}): ImageProcessor {
  const name = "gemma4";
  if (![70, 140, 280, 560, 1120].includes(maxTokens)) {
    throw new TitoError("invalid_config", `${name}: maxTokens is ${maxTokens}. Use 70, 140, 280, 560 or 1120.`, {
      details: { processor: name, maxTokens },
    });
  }
  const maxPixels = maxTokens * pooling ** 2 * patchSize ** 2;
  return sizeProcessor(name, (width, height) => {
    const scale = Math.sqrt(maxPixels / (height * width));
    const rows = Math.floor((scale * height) / unit);
    const columns = Math.floor((scale * width) / unit);
    // A strip thinner than one square becomes one row of squares as long as the strip is thin.
    const squares =
      rows === 0
        ? { rows: 1, columns: Math.min(Math.floor(width / height), maxTokens) }
        : columns === 0
          ? { rows: Math.min(Math.floor(height / width), maxTokens), columns: 1 }
          : { rows, columns };
    const tokens = squares.rows * squares.columns;
    if (tokens > maxTokens || tokens === 0) {
      throw refusedSize(name, width, height, `does not fit into ${maxTokens} tokens`);
    }
    return { tokens, size: { width: squares.columns * unit, height: squares.rows * unit } };
  });
}
