import { TitoError } from "../errors.ts";

/** What an image processor answers for one image, by the fields that are read; the rest is passed on. */
export interface TransformersOutput {
  readonly image_grid_thw?: unknown;
  readonly grid_thws?: unknown;
  readonly num_soft_tokens_per_image?: unknown;
  readonly num_tokens?: unknown;
  readonly [field: string]: unknown;
}

/** The numbers of a tensor, a typed array or nested arrays, flat; null if it is none of them. */
export function numbersOf(value: unknown): number[] | null {
  const data = typeof value === "object" && value !== null && "data" in value ? value.data : value;
  if (ArrayBuffer.isView(data) && !(data instanceof DataView))
    return Array.from(data as unknown as ArrayLike<number>, Number);
  if (!Array.isArray(data)) return null;
  const numbers = data.flat(Number.POSITIVE_INFINITY).map(Number);
  return numbers.every(Number.isFinite) ? numbers : null;
}

/** @throws TitoError `image_processor_failed` if the output does not say. */
export function tokensOf(output: TransformersOutput, config: unknown, name: string): number {
  const grid = numbersOf(output.image_grid_thw);
  const merge = (config as { merge_size?: unknown } | null | undefined)?.merge_size;
  if (grid?.length === 3 && typeof merge === "number") {
    return Math.floor(grid.reduce((product, side) => product * side) / merge ** 2);
  }
  for (const field of ["num_soft_tokens_per_image", "num_tokens"]) {
    const counts = numbersOf(output[field]);
    if (counts?.length === 1) return counts[0];
  }
  throw new TitoError(
    "image_processor_failed",
    `${name}: the output (${Object.keys(output).join(", ")}) does not say how many tokens the image has. Set the option tokens.`,
    { details: { processor: name, fields: Object.keys(output) } },
  );
}
