import { createHash } from "node:crypto";
import fc from "fast-check";
import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { TitoError } from "../../src/errors.ts";
import { readImage } from "../../src/images/index.ts";
import { bytesOf, dataUri, errorOf, fileNamed, files, imageOf, pngHeader } from "./fixtures.ts";

const hashOf = (rgb: Uint8Array, width: number, height: number) =>
  createHash("sha256").update(rgb).update(`(${width}, ${height})`).digest("hex").slice(0, 32);

/** A raw picture: channels 1 to 4 are grey, grey with alpha, RGB, RGBA. */
const picture = fc
  .record({
    width: fc.integer({ min: 1, max: 24 }),
    height: fc.integer({ min: 1, max: 24 }),
    channels: fc.constantFrom(1, 2, 3, 4),
    depth: fc.constantFrom(8, 16),
    interlace: fc.constantFrom("null", "Adam7"),
  })
  .chain((shape) => {
    const length = shape.width * shape.height * shape.channels;
    const data =
      shape.depth === 8
        ? fc.uint8Array({ minLength: length, maxLength: length })
        : fc.uint16Array({ minLength: length, maxLength: length });
    return fc.record({ ...Object.fromEntries(Object.entries(shape).map(([k, v]) => [k, fc.constant(v)])), data });
  }) as fc.Arbitrary<{
  width: number;
  height: number;
  channels: number;
  depth: 8 | 16;
  interlace: "null" | "Adam7";
  data: Uint8Array | Uint16Array;
}>;

describe("a PNG", () => {
  test("has the pixels that went into it, as RGB, and their hash, however it is stored", () => {
    fc.assert(
      fc.property(picture, ({ interlace, ...raw }) => {
        const image = imageOf(encode(raw, { interlace }));
        const { width, height, channels, depth, data } = raw;
        const grey = channels < 3;
        const byte = (value: number) => {
          if (depth === 8) return value;
          return channels === 1 ? Math.min(value, 255) : value >> 8;
        };
        const rgb = new Uint8Array(width * height * 3);
        for (let i = 0; i < rgb.length; i++) {
          rgb[i] = byte(data[Math.floor(i / 3) * channels + (grey ? 0 : i % 3)]);
        }
        expect(image).toMatchObject({ width, height, mime: "image/png", hashOf: "pixels" });
        expect(image.pixels()).toEqual(rgb);
        expect(image.hash).toBe(hashOf(rgb, width, height));
      }),
    );
  });

  test("whose pixels are damaged is read, but gives no hash", async () => {
    const whole = fileNamed("png RGB");
    const cut = imageOf(whole.slice(0, whole.length - 60));
    expect(cut).toMatchObject({ width: 19, height: 7 });
    expect(await errorOf(() => cut.hash)).toMatchObject({ code: "invalid_image" });
    expect(await errorOf(() => cut.pixels())).toMatchObject({ code: "invalid_image" });
    expect(await errorOf(() => imageOf(pngHeader(1000, 1000)).hash)).toMatchObject({ code: "invalid_image" });
  });

  test("of more pixels than any picture has is refused before anything is unpacked", async () => {
    expect(await errorOf(() => imageOf(pngHeader(60_000, 60_000)))).toMatchObject({ code: "invalid_image" });
  });
});

describe("files as Pillow reads them", () => {
  test.each(files)("$name", ({ base64, mime, width, height, hash }) => {
    const bytes = bytesOf(base64);
    const image = readImage({ kind: "data", uri: dataUri(bytes, mime) });
    expect(image).toMatchObject({ mime, width, height, hashOf: mime === "image/png" ? "pixels" : "file" });
    expect(image.hash).toBe(
      mime === "image/png" ? hash : createHash("sha256").update(bytes).digest("hex").slice(0, 32),
    );
    expect(image.pixels() === null).toBe(mime !== "image/png");
  });
});

test("bytes in any condition are an image, or a TitoError", () => {
  const start = fc.constantFrom(...files.map(({ base64 }) => bytesOf(base64)));
  const damage = fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { maxLength: 12 });
  fc.assert(
    fc.property(fc.oneof(start, fc.uint8Array({ maxLength: 64 })), damage, fc.nat(4000), (bytes, changes, end) => {
      const bent = bytes.slice(0, end);
      for (const [at, value] of changes) if (at < bent.length) bent[at] = value;
      try {
        const image = imageOf(bent);
        expect(image.width * image.height).toBeGreaterThan(0);
        expect(image.hash).toMatch(/^[0-9a-f]{32}$/);
      } catch (error) {
        expect(error).toBeInstanceOf(TitoError);
        expect((error as TitoError).code).toBe("invalid_image");
      }
    }),
    { numRuns: 500 },
  );
});

describe("a data URI", () => {
  const read = (uri: string) => readImage({ kind: "data", uri });
  const png = dataUri(fileNamed("png L"));

  test("is judged by its bytes, not by the type that it names", () => {
    expect(read(png.replace("image/png", "image/jpeg")).mime).toBe("image/png");
    expect(read(png.replace("data:image/png;base64", "DATA:;charset=x;BASE64")).width).toBe(19);
  });

  test.each([
    ["no base64", "data:image/png,abc"],
    ["no payload", "data:image/png;base64"],
    ["cut off", png.slice(0, -1)],
    ["line breaks", `${png.slice(0, 60)}\r\n\r\n${png.slice(60)}`],
    ["the alphabet of URLs", png.replace(/[A-Z]/, "_")],
    ["no image", "data:image/png;base64,aGVsbG8="],
    ["nothing", "data:image/png;base64,"],
  ])("is refused: %s", async (_, uri) => {
    expect(await errorOf(() => read(uri))).toMatchObject({ code: "invalid_image" });
  });
});

test.each([
  [{ kind: "file", path: "/etc/passwd" } as const, "/etc/passwd"],
  [{ kind: "url", url: "https://user:pw@example.com/a.png?token=s3cret#x" } as const, "example.com/a.png"],
])("a place has to be loaded first", async (source, place) => {
  const { code, message } = await errorOf(() => readImage(source, "messages[0].content[1]"));
  expect(code).toBe("image_not_loaded");
  expect(message).toContain(place);
  expect(message).toContain("messages[0].content[1]");
  expect(message).not.toMatch(/s3cret|pw/);
});
