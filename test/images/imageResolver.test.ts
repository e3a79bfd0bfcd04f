import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createImageCache,
  type ImageData,
  type ImageProcessor,
  imageResolver,
  loadImages,
  mergeImageStores,
  qwenImages,
} from "../../src/images/index.ts";
import { dataUri, errorOf, plainPng } from "./fixtures.ts";

const part = (width: number, height: number, grey?: number) => {
  return { type: "image", image: dataUri(plainPng(width, height, grey)) };
};

/** Counts what it is asked. */
function counting(): ImageProcessor & { readonly seen: string[] } {
  const seen: string[] = [];
  const process = ({ hash, width }: ImageData) => {
    seen.push(hash);
    return { tokens: width };
  };
  return { name: "counting", seen, process };
}

test("an image has its processor's result, its own size and hash", () => {
  const image = imageResolver({ processor: qwenImages() }).resolve(part(300, 260));
  expect(image).toEqual({
    tokens: 72,
    grid: [1, 16, 18],
    size: { width: 288, height: 256 },
    width: 300,
    height: 260,
    hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    hashOf: "pixels",
  });
});

test("data and bytes of one picture give the same, whatever was resolved before and however small the cache is", () => {
  const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean()), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 4 }), (asked, max) => {
      const [processor, plain] = [counting(), counting()];
      const cached = imageResolver({ processor, cache: createImageCache(max) });
      for (const [width, asBytes] of asked) {
        const one = asBytes ? { type: "image", image: plainPng(width, 2) } : part(width, 2);
        expect(cached.resolve(one)).toEqual(imageResolver({ processor: plain }).resolve(one));
      }
      expect(processor.seen.length).toBeLessThanOrEqual(plain.seen.length);
    }),
  );
});

describe("the cache", () => {
  test("spares the processor what it has seen, from one resolver to the next", () => {
    const [processor, cache] = [counting(), createImageCache(2)];
    for (let i = 0; i < 3; i++) {
      const images = imageResolver({ processor, cache });
      images.resolve(part(1, 1));
      images.resolve(part(2, 1));
    }
    expect(processor.seen).toHaveLength(2);
  });

  test("lets go of what was used least recently, and of nothing more", () => {
    const processor = counting();
    const images = imageResolver({ processor, cache: createImageCache(2) });
    for (const width of [1, 2, 1, 3, 1, 2]) images.resolve(part(width, 1));
    expect(processor.seen).toHaveLength(4);
  });

  test("of no images keeps none", () => {
    const processor = counting();
    const images = imageResolver({ processor, cache: createImageCache(0) });
    for (let i = 0; i < 3; i++) images.resolve(part(1, 1));
    expect(processor.seen).toHaveLength(3);
  });

  test("does not give one processor's result for another's", () => {
    const cache = createImageCache(4);
    const twice: ImageProcessor = { name: "counting", process: ({ width }) => ({ tokens: 2 * width }) };
    expect(imageResolver({ processor: counting(), cache }).resolve(part(3, 1)).tokens).toBe(3);
    expect(imageResolver({ processor: twice, cache }).resolve(part(3, 1)).tokens).toBe(6);
  });
});

describe("loaded images", () => {
  const url = "https://example.com/a.png";
  const serve = (width: number) => async () => new Response(new Uint8Array(plainPng(width, 1)));
  const load = (width: number, processor?: ImageProcessor) => {
    const messages = [{ role: "user", content: [{ type: "image", image: url }] }];
    return loadImages(messages, { allow: { hosts: ["example.com"] }, fetch: serve(width), processor });
  };

  test("that are processed go before the renderer's processor, and need none", async () => {
    const store = await load(3, { name: "x", process: () => ({ tokens: 77, values: "kept" }) });
    expect(imageResolver({ store }).resolve({ type: "image", image: url })).toMatchObject({
      tokens: 77,
      values: "kept",
    });
    const processor = counting();
    expect(imageResolver({ store, processor }).resolve({ type: "image", image: url }).tokens).toBe(77);
    expect(processor.seen).toEqual([]);
  });

  test("that are only read go through the renderer's processor, and a place that has changed is seen anew", async () => {
    const [processor, cache] = [counting(), createImageCache(4)];
    const resolve = async (width: number) =>
      imageResolver({ processor, cache, store: await load(width) }).resolve({ type: "image", image: url }).tokens;
    expect(await resolve(3)).toBe(3);
    expect(await resolve(3)).toBe(3);
    expect(processor.seen).toHaveLength(1);
    expect(await resolve(5)).toBe(5);
  });

  test("of several stores are all there, the later one first", async () => {
    const [first, second] = [await load(3), await load(5)];
    const both = mergeImageStores(first, second);
    expect(both.size).toBe(1);
    expect(imageResolver({ processor: counting(), store: both }).resolve({ type: "image", image: url }).tokens).toBe(5);
  });
});

describe("errors", () => {
  const at = "messages[1].content[0]";
  test.each([
    ["a place that is not loaded", { type: "image", image: "https://example.com/a?k=s3cret" }, "image_not_loaded"],
    ["a path", { type: "image", path: "/tmp/x.png" }, "image_not_loaded"],
    ["no image part", { type: "text", text: "x" }, "unsupported_content"],
    ["video", { type: "video", video: "x" }, "unsupported_content"],
    ["an image that is none", { type: "image", image: dataUri(new Uint8Array([1])) }, "invalid_image"],
  ])("%s", async (_, one, code) => {
    const error = await errorOf(() => imageResolver({ processor: qwenImages() }).resolve(one, at));
    expect(error.code).toBe(code);
    expect(error.message).toContain(at);
    expect(JSON.stringify([error.message, error.details])).not.toContain("s3cret");
  });

  test("no processor", async () => {
    expect(await errorOf(() => imageResolver({}).resolve(part(1, 1), at))).toMatchObject({
      code: "image_processor_missing",
    });
  });

  test.each([0, -1, 1.5, Number.NaN, undefined])("a processor that gives %s tokens", async (tokens) => {
    const processor = { name: "bad", process: () => ({ tokens: tokens as number }) };
    expect(await errorOf(() => imageResolver({ processor }).resolve(part(1, 1), at))).toMatchObject({
      code: "image_processor_failed",
      message: expect.stringContaining("bad"),
    });
  });

  test("a processor that throws is named, with its error as the cause", async () => {
    const cause = new Error("no memory");
    const processor: ImageProcessor = {
      name: "bad",
      process: () => {
        throw cause;
      },
    };
    expect(await errorOf(() => imageResolver({ processor }).resolve(part(1, 1), at))).toMatchObject({
      code: "image_processor_failed",
      cause,
    });
  });
});
