import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  gemmaImages,
  type ImageProcessor,
  inklingImages,
  kimiImages,
  nemotronImages,
  type ProcessedImage,
  qwenImages,
} from "../../src/images/index.ts";
import { errorOf, imageOf, pngHeader } from "./fixtures.ts";

type Size = readonly [width: number, height: number];

/**
 * Sizes, and what transformers 5.23 resizes them to: qwen, kimi, gemma for 70, 280 and 1120 tokens, nemotron in patches
 * (null: refused); inkling's scaled size and patches without scaling and with 2.
 */
const table: readonly (readonly [
  width: number,
  height: number,
  qwen: Size | null,
  kimi: Size,
  gemma: readonly (Size | null)[],
  nemotron: Size | null,
  inkling: readonly [number, number, number],
  inkling2: readonly [number, number, number],
])[] = JSON.parse(readFileSync(new URL("./sizes.json", import.meta.url), "utf8"));

const processed = (processor: ImageProcessor, [width, height]: Size): ProcessedImage =>
  processor.process(imageOf(pngHeader(width, height)));

function sizeOf(processor: ImageProcessor, size: Size): Size | null {
  try {
    const { width, height } = processed(processor, size).size!;
    return [width, height];
  } catch (error) {
    expect((error as { code: string }).code).toBe("invalid_image");
    return null;
  }
}

/** Sides from one pixel to some thousands, in any shape, often near multiples of what patches are made of. */
const side = fc.oneof(
  fc.integer({ min: 1, max: 6000 }),
  fc
    .tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom(16, 28, 32, 40, 48), fc.integer({ min: -1, max: 1 }))
    .map(([count, unit, off]) => Math.max(1, count * unit + off)),
);
const anySize = fc.tuple(side, side);

describe("qwen", () => {
  const rule = qwenImages();

  test("resizes as transformers does", () => {
    for (const [width, height, size] of table)
      expect(sizeOf(rule, [width, height]), `${width} x ${height}`).toEqual(size);
  });

  test("the grid, the tokens and the size say the same, within the bounds", () => {
    fc.assert(
      fc.property(anySize, (size) => {
        fc.pre(Math.max(...size) / Math.min(...size) <= 200);
        const { tokens, grid, size: resized } = processed(rule, size);
        const { width, height } = resized!;
        expect([width % 32, height % 32]).toEqual([0, 0]);
        expect(grid).toEqual([1, height / 16, width / 16]);
        expect(tokens).toBe((width * height) / 1024);
        expect(width * height).toBeGreaterThanOrEqual(65_536);
        expect(width * height).toBeLessThanOrEqual(16_777_216);
        expect(processed(rule, [width, height]).tokens).toBe(tokens);
      }),
    );
  });

  test("half a unit goes to the even side", () => {
    const small = qwenImages({ minPixels: 1 });
    expect(sizeOf(small, [48, 80])).toEqual([64, 64]);
    expect(sizeOf(small, [112, 144])).toEqual([128, 128]);
  });
});

test("kimi has one token an image, and the grid of transformers", () => {
  const rule = kimiImages();
  for (const [width, height, , size] of table) {
    const { tokens, grid, size: padded } = processed(rule, [width, height]);
    expect([padded!.width, padded!.height], `${width} x ${height}`).toEqual(size);
    expect(grid).toEqual([1, size[1] / 14, size[0] / 14]);
    expect(tokens).toBe(1);
  }
});

describe("gemma", () => {
  test("resizes as transformers does, whatever the budget", () => {
    ([70, 280, 1120] as const).forEach((maxTokens, column) => {
      const rule = gemmaImages({ maxTokens });
      for (const [width, height, , , sizes] of table) {
        expect(sizeOf(rule, [width, height]), `${width} x ${height} in ${maxTokens}`).toEqual(sizes[column]);
      }
    });
  });

  test("a token is a square of 48 pixels, and there are no more than allowed", () => {
    fc.assert(
      fc.property(anySize, fc.constantFrom(70, 140, 280, 560, 1120), (size, maxTokens) => {
        const { tokens, size: resized } = processed(gemmaImages({ maxTokens: maxTokens as 70 }), size);
        expect(tokens).toBe((resized!.width * resized!.height) / 48 ** 2);
        expect(tokens).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });
});

describe("nemotron", () => {
  const rule = nemotronImages();

  test("resizes as transformers does", () => {
    for (const [width, height, , , , grid] of table) {
      expect(sizeOf(rule, [width, height]), `${width} x ${height}`).toEqual(grid && [grid[0] * 16, grid[1] * 16]);
    }
  });

  test("a token is two by two patches, whose number is within the bounds but for one row", () => {
    fc.assert(
      fc.property(anySize, (size) => {
        fc.pre(Math.max(...size) / Math.min(...size) <= 100);
        const { tokens, grid } = processed(rule, size);
        const [, rows, columns] = grid!;
        expect([rows % 2, columns % 2]).toEqual([0, 0]);
        expect(tokens).toBe((rows * columns) / 4);
        expect(rows * columns).toBeGreaterThanOrEqual(1_024 - 2 * Math.max(rows, columns));
        expect(rows * columns).toBeLessThanOrEqual(13_312);
      }),
    );
  });

  test("a small image is scaled up", () => {
    expect(processed(rule, [48, 32])).toEqual({ tokens: 276, grid: [1, 24, 46], size: { width: 736, height: 384 } });
  });
});

describe("inkling", () => {
  test("resizes and counts as transformers does", () => {
    const [plain, twice] = [inklingImages({ rescale: null }), inklingImages({ rescale: 2 })];
    for (const [width, height, , , , , at1, at2] of table) {
      expect([...sizeOf(plain, [width, height])!, processed(plain, [width, height]).tokens]).toEqual(at1);
      expect([...sizeOf(twice, [width, height])!, processed(twice, [width, height]).tokens]).toEqual(at2);
    }
  });

  test("every row has a patch more than full ones fit", () => {
    const rule = inklingImages({ rescale: null });
    expect(processed(rule, [640, 480]).tokens).toBe(12 * 17);
    expect(processed(rule, [639, 481]).tokens).toBe(13 * 16);
    expect(processed(rule, [3000, 2000]).tokens).toBe(50 * 76);
    expect(processed(inklingImages({ rescale: 2 }), [640, 480]).tokens).toBe(24 * 33);
  });
});

test.each([
  [() => qwenImages({ minPixels: 0 })],
  [() => qwenImages({ patchSize: 1.5 })],
  [() => kimiImages({ maxPatches: Number.NaN })],
  [() => gemmaImages({ maxTokens: 100 as 70 })],
  [() => nemotronImages({ maxPatches: -1 })],
  [() => inklingImages({ rescale: 0 })],
  [() => inklingImages({ rescale: undefined as unknown as null })],
  [() => inklingImages({ rescale: 2, maxUpscaledEdge: 0 })],
])("options out of range are refused when the rule is made: %s", async (make) => {
  expect(await errorOf(make)).toMatchObject({ code: "invalid_config" });
});
