import { createHash } from "node:crypto";
import { TitoError } from "../errors.ts";
import { readHeader } from "./header.ts";
import { placeOf } from "./imagePart.ts";
import { pngPixels } from "./png/pngPixels.ts";
import type { HashOf, ImageData, ImageMime, ImageSource } from "./types.ts";

/** Pillow's limit, too: what decodes to more is taken for an attack. */
const maxPixels = 178_956_970;

/**
 * Reads an image that is at hand: a data URI or bytes. Only the header is read; pixels and hash wait until they are asked for.
 * @throws TitoError `invalid_image` if it is none of PNG, JPEG, GIF, WebP and BMP, or damaged; `image_not_loaded` for a path or
 * a URL. A PNG whose pixels are damaged throws where `pixels()` or `hash` is read.
 */
export function readImage(source: ImageSource, at = "image part"): ImageData {
  switch (source.kind) {
    case "data":
      return imageFromBytes(decodeDataUri(source.uri, at), at);
    case "bytes":
      return imageFromBytes(source.bytes, at);
    default:
      throw new TitoError(
        "image_not_loaded",
        `${at}: ${placeOf(source)} is not at hand. Call await loadImages(messages, { allow }) first.`,
        { details: { at, place: placeOf(source) } },
      );
  }
}

/** As `readImage`, of a file's bytes, which must not change afterwards. */
export function imageFromBytes(bytes: Uint8Array, at: string): ImageData {
  const header = readHeader(bytes);
  if (!header) {
    throw invalid(at, "the bytes are no PNG, JPEG, GIF, WebP or BMP", "Convert the image to one of these formats.");
  }
  if ("damaged" in header) {
    throw invalid(at, `the header of this ${header.damaged} is damaged or cut off`, "Pass the whole file.");
  }
  const { mime, width, height } = header;
  if (width * height > maxPixels) {
    throw invalid(at, `${width} x ${height} pixels are more than ${maxPixels}`, "Scale the image down.");
  }
  const pixels = mime === "image/png" ? () => pngPixels(bytes, (what) => invalid(at, what, damagedRemedy)) : () => null;
  let hash: string | undefined;
  return {
    width,
    height,
    mime,
    bytes,
    pixels,
    get hash() {
      hash ??= imageHash(pixels(), bytes, width, height);
      return hash;
    },
    hashOf: hashOf(mime),
  };
}

const damagedRemedy = "Pass the whole file, or save the image again.";

function hashOf(mime: ImageMime): HashOf {
  return mime === "image/png" ? "pixels" : "file";
}

function imageHash(pixels: Uint8Array | null, bytes: Uint8Array, width: number, height: number): string {
  const hash = createHash("sha256");
  if (pixels) hash.update(pixels).update(`(${width}, ${height})`);
  else hash.update(bytes);
  return hash.digest("hex").slice(0, 32);
}

/** Only base64 in the standard alphabet: what else a lenient decoder would take is more often a mistake than an image. */
function decodeDataUri(uri: string, at: string): Uint8Array {
  const comma = uri.indexOf(",");
  const head = comma < 0 ? "" : uri.slice(0, comma).toLowerCase();
  if (!head.endsWith(";base64")) {
    throw invalid(at, "the data URI is not in base64", "Write data:image/png;base64,… with the file's type.");
  }
  const payload = uri.slice(comma + 1);
  if (payload.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(payload)) {
    throw invalid(
      at,
      "the data URI holds characters other than base64's, or is cut off",
      "Encode the file in base64 with padding and without line breaks.",
    );
  }
  return Buffer.from(payload, "base64");
}

function invalid(at: string, what: string, remedy: string): TitoError {
  return new TitoError("invalid_image", `${at}: ${what}. ${remedy}`, { details: { at } });
}
