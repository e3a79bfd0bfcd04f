import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as transformers from "@huggingface/transformers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  gemmaImages,
  type ImageProcessor,
  imageResolver,
  loadImages,
  qwenImages,
  type TransformersImageProcessorOptions,
  type TransformersPackage,
  type TransformersProcessor,
  transformersImageProcessor,
} from "../../src/images/index.ts";
import { errorOf, fileNamed, imageOf, plainPng } from "../../test/images/fixtures.ts";

const qwenConfig = {
  image_processor_type: "Qwen2VLImageProcessorFast",
  processor_class: "Qwen3VLProcessor",
  size: { shortest_edge: 65_536, longest_edge: 16_777_216 },
  patch_size: 16,
  temporal_patch_size: 2,
  merge_size: 2,
  do_convert_rgb: true,
  do_normalize: true,
  do_rescale: true,
  do_resize: true,
  rescale_factor: 1 / 255,
  image_mean: [0.5, 0.5, 0.5],
  image_std: [0.5, 0.5, 0.5],
  resample: 3,
};
const gemmaConfig = {
  image_processor_type: "Gemma4ImageProcessor",
  patch_size: 16,
  max_soft_tokens: 280,
  pooling_kernel_size: 3,
};

const theirs = transformers as unknown as TransformersPackage &
  Record<string, new (config: object) => TransformersProcessor>;
const options: TransformersImageProcessorOptions = { transformers: theirs };
const sizes = [
  [320, 256],
  [500, 333],
  [1000, 700],
  [64, 64],
  [900, 40],
] as const;

describe.each([
  ["Qwen2VLImageProcessor", qwenConfig, qwenImages(), "pixel_values"],
  ["Gemma4ImageProcessor", gemmaConfig, gemmaImages(), "image_position_ids"],
] as const)("%s made of its config", (type, config, rule: ImageProcessor, value) => {
  const processor = transformersImageProcessor(new theirs[type](config), { ...options, rule });

  test.each(sizes)("agrees with the built-in rule on %i x %i", async (width, height) => {
    const image = imageOf(plainPng(width, height));
    const { tokens, grid, values } = await processor.process(image, {});
    const expected = rule.process(image);
    expect(tokens).toBe(expected.tokens);
    expect(grid).toEqual(expected.grid);
    expect(values).toHaveProperty(value);
  });

  test("reads files of other kinds", async () => {
    for (const name of ["jpeg", "webp lossless", "gif"]) {
      const image = imageOf(fileNamed(name));
      expect((await processor.process(image, {})).tokens, name).toBe(rule.process(image).tokens);
    }
  });
});

test("a size that transformers.js rounds otherwise is refused by the rule", async () => {
  const processor = transformersImageProcessor(new theirs.Qwen2VLImageProcessor(qwenConfig), {
    ...options,
    rule: qwenImages(),
  });
  expect(await errorOf(() => processor.process(imageOf(plainPng(400, 336)), {}))).toMatchObject({
    code: "image_processor_failed",
    details: { tokens: 143, expected: 120 },
  });
});

describe("from a folder, without a network", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tito-processor-"));
    writeFileSync(join(folder, "preprocessor_config.json"), JSON.stringify(qwenConfig));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("images are loaded with their values", async () => {
    const processor = transformersImageProcessor(folder, { ...options, load: { local_files_only: true } });
    const messages = [{ role: "user", content: [{ type: "image", image: plainPng(320, 256) }] }];
    const store = await loadImages(messages, { processor });
    const { tokens, grid, values } = imageResolver({ store }).resolve(messages[0].content[0]);
    expect({ tokens, grid }).toEqual({ tokens: 80, grid: [1, 16, 20] });
    expect(values).toMatchObject({ pixel_values: { dims: [320, 1536] } });
  });

  test("a model that is not there is an error that names it", async () => {
    const processor = transformersImageProcessor(join(folder, "none"), {
      ...options,
      load: { local_files_only: true },
    });
    expect(await errorOf(() => processor.process(imageOf(plainPng(1, 1)), {}))).toMatchObject({
      code: "image_processor_failed",
      message: expect.stringContaining(join(folder, "none")),
    });
  });
});
