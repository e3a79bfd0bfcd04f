import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TitoError } from "../../src/errors.ts";
import { imagePart, mediaPart, unsupportedMedia } from "../../src/images/index.ts";
import { errorOf } from "./fixtures.ts";

const uri = "data:image/png;base64,AAAA";
const bytes = new Uint8Array([1, 2, 3]);

test("one image is the same source in every shape", () => {
  const values = [
    [uri, { kind: "data", uri }],
    [bytes, { kind: "bytes", bytes }],
    [bytes.buffer, { kind: "bytes", bytes }],
    ["https://example.com/a.png", { kind: "url", url: "https://example.com/a.png" }],
    [new URL("HTTP://example.com/a.png"), { kind: "url", url: "http://example.com/a.png" }],
    ["file:///a/b.png", { kind: "file", path: "file:///a/b.png" }],
    ["a/b.png", { kind: "file", path: "a/b.png" }],
    ["C:\\a.png", { kind: "file", path: "C:\\a.png" }],
  ] as const;
  for (const [value, source] of values) {
    const parts = [
      { type: "image", image: value },
      { type: "image", url: value },
      { type: "image", path: value },
      { type: "image", image_url: value },
      { type: "image", image: { url: value } },
      { type: "image_url", image_url: { url: value, detail: "low" } },
      { type: "image_url", image_url: value },
      { type: "input_image", image_url: value },
      { type: "input_image", input_image: value },
      { image: value, text: null },
      { type: null, image_url: { url: value } },
      { type: "image", image: null, image_url: value },
    ];
    for (const part of parts) expect(imagePart(part), JSON.stringify(part)).toEqual(source);
  }
});

test("video and audio are told apart, and from text", () => {
  for (const type of ["video", "video_url", "input_video"]) {
    expect(mediaPart({ type, [type]: "x" })).toEqual({ kind: "video" });
    expect(mediaPart({ [type]: "x" })).toEqual({ kind: "video" });
    expect(imagePart({ type, [type]: "x" })).toBeNull();
  }
  for (const type of ["audio", "audio_url", "input_audio"]) {
    expect(mediaPart({ type, [type]: "x" })).toEqual({ kind: "audio" });
    expect(mediaPart({ [type]: "x" })).toEqual({ kind: "audio" });
  }
  for (const part of [{ type: "text", text: "image", image: uri }, { text: "x", image: null }, "image", null, 7, []]) {
    expect(mediaPart(part)).toBeNull();
  }
});

test("whatever a part is, it is a medium, none, or an error that says so", () => {
  const type = fc.constantFrom("image", "image_url", "input_image", "video", "audio", "text", null, undefined, 3);
  const field = fc.constantFrom("image", "image_url", "url", "path", "video", "text", "input_image");
  fc.assert(
    fc.property(type, fc.dictionary(field, fc.anything()), (kind, fields) => {
      try {
        const media = mediaPart({ ...fields, type: kind });
        expect([undefined, "image", "video", "audio"]).toContain(media?.kind);
      } catch (error) {
        expect(error).toBeInstanceOf(TitoError);
        expect((error as TitoError).code).toBe("invalid_image");
      }
    }),
  );
});

describe("an image part without an image", () => {
  test.each([
    [{ type: "image" }],
    [{ type: "image", image: 7 }],
    [{ type: "image", image: "" }],
    [{ type: "image_url", image_url: {} }],
    [{ type: "image_url", image_url: { url: null } }],
    [{ type: "image_url", image_url: "ftp://example.com/a.png" }],
  ])("%j is refused by its place", async (part) => {
    const { code, message } = await errorOf(() => imagePart(part, "messages[4].content[0]"));
    expect(code).toBe("invalid_image");
    expect(message).toContain("messages[4].content[0]");
  });
});

test("a refusal names the medium, the family, the place and what to do", () => {
  const error = unsupportedMedia("video", "qwen3-vl", "messages[0].content[2]");
  expect(error.code).toBe("unsupported_content");
  expect(error.message).toBe(
    "messages[0].content[2]: qwen3-vl renders no video parts. Sample frames from it and pass them as image parts.",
  );
  expect(unsupportedMedia("audio", "gemma4").details).toEqual({ media: "audio", family: "gemma4" });
  expect(unsupportedMedia("image", "qwen3").message).toMatch(/model that takes images/);
});
