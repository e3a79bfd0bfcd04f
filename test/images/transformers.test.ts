import { describe, expect, test, vi } from "vitest";
import {
  imageResolver,
  loadImages,
  qwenImages,
  type TransformersImageProcessorOptions,
  type TransformersOutput,
  type TransformersPackage,
  transformersImageProcessor,
} from "../../src/images/index.ts";
import { errorOf, fileNamed, imageOf, plainPng } from "./fixtures.ts";

/** As much of the package as is used: pictures are records, tensors hold bigints as the package's own do. */
class RawImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  constructor(data: Uint8Array, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
  static async fromBlob(blob: Blob) {
    return { rgb: () => ({ decoded: blob.type }) };
  }
}

const tensor = (...numbers: number[]) => ({ data: BigInt64Array.from(numbers, BigInt), dims: [1, numbers.length] });

function packageWith(output: TransformersOutput | (() => TransformersOutput), config: object = {}) {
  const seen: unknown[] = [];
  const processor = Object.assign(
    async (image: unknown) => {
      seen.push(image);
      return typeof output === "function" ? output() : output;
    },
    { config },
  );
  const from_pretrained = vi.fn(async () => processor as unknown);
  const transformers = { RawImage, AutoImageProcessor: { from_pretrained } } as unknown as TransformersPackage;
  return { seen, processor, from_pretrained, transformers };
}

const png = plainPng(64, 32, 9);

async function processed(output: TransformersOutput, config = {}, options: TransformersImageProcessorOptions = {}) {
  const { transformers } = packageWith(output, config);
  return transformersImageProcessor("some/model", { transformers, ...options }).process(imageOf(png), {});
}

describe("the number of tokens", () => {
  test.each([
    ["a grid and what merges it", { image_grid_thw: tensor(1, 4, 6) }, { merge_size: 2 }, 6],
    ["a grid as nested arrays", { image_grid_thw: [[1, 4, 6]] }, { merge_size: 2 }, 6],
    ["soft tokens", { num_soft_tokens_per_image: [12] }, {}, 12],
    ["a count", { num_tokens: tensor(7) }, {}, 7],
  ])("is read from %s", async (_, output, config, tokens) => {
    const image = await processed(output, config);
    expect(image.tokens).toBe(tokens);
    expect(image.values).toBe(output);
    expect(image.grid).toEqual("image_grid_thw" in output ? [1, 4, 6] : undefined);
  });

  test("is what the caller says, if it says so", async () => {
    const output = { grid_thws: tensor(1, 4, 6) };
    expect(await processed(output, {}, { tokens: () => 1 })).toEqual({ tokens: 1, grid: [1, 4, 6], values: output });
  });

  test.each([
    ["other values", { pixel_values: 1 }],
    ["a grid alone", { image_grid_thw: tensor(1, 2, 3) }],
    ["counts of several images", { num_tokens: [1, 2] }],
    ["nothing", {}],
  ])("is not guessed from %s", async (_, output) => {
    expect(await errorOf(() => processed(output))).toMatchObject({
      code: "image_processor_failed",
      message: expect.stringContaining("Set the option tokens"),
    });
  });

  test("has to be the rule's, where one is given", async () => {
    const rule = qwenImages();
    const { grid } = rule.process(imageOf(png));
    const config = { merge_size: 2 };
    expect((await processed({ image_grid_thw: [grid] }, config, { rule })).tokens).toBe(72);
    expect(await errorOf(() => processed({ image_grid_thw: [[1, 2, 4]] }, config, { rule }))).toMatchObject({
      code: "image_processor_failed",
      details: { tokens: 2, expected: 72 },
    });
  });
});

test("the processor sees our pixels of a PNG, and has other files decoded", async () => {
  const { transformers, seen } = packageWith({ num_tokens: [1] });
  const processor = transformersImageProcessor("some/model", { transformers });
  await processor.process(imageOf(png), {});
  await processor.process(imageOf(fileNamed("jpeg")), {});
  expect(seen).toEqual([
    { data: new Uint8Array(64 * 32 * 3).fill(9), width: 64, height: 32 },
    { decoded: "image/jpeg" },
  ]);
});

test("it is loaded at the first image, once, with the caller's options, and again after a failure", async () => {
  const { transformers, from_pretrained } = packageWith({ num_tokens: [3] });
  from_pretrained.mockRejectedValueOnce(new Error("offline"));
  const load = { local_files_only: true };
  const processor = transformersImageProcessor("some/model", { transformers, load });
  expect(from_pretrained).not.toHaveBeenCalled();
  const messages = [
    { role: "user", content: [1, 2, 3].map((width) => ({ type: "image", image: plainPng(width, 1) })) },
  ];
  expect(await errorOf(() => loadImages(messages, { processor, concurrency: 1 }))).toMatchObject({
    code: "image_processor_failed",
    message: expect.stringContaining("some/model"),
  });
  const store = await loadImages(messages, { processor });
  expect(from_pretrained.mock.calls).toEqual([
    ["some/model", load],
    ["some/model", load],
  ]);
  expect(imageResolver({ store }).resolve(messages[0].content[1])).toMatchObject({ tokens: 3, width: 2 });
});

test("a processor that is loaded already is used as it is, or by its image processor", async () => {
  const { transformers, processor } = packageWith({ image_grid_thw: tensor(1, 2, 2) }, { merge_size: 2 });
  for (const source of [processor, Object.assign(() => ({}), { image_processor: processor })]) {
    expect((await transformersImageProcessor(source, { transformers }).process(imageOf(png), {})).tokens).toBe(1);
  }
  const none = transformersImageProcessor({ image_processor: {} } as never, { transformers });
  expect(await errorOf(() => none.process(imageOf(png), {}))).toMatchObject({ code: "image_processor_failed" });
});
