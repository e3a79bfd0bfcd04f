import { readFileSync } from "node:fs";
import { encode } from "fast-png";
import { type ImageData, imagePart, readImage } from "../../src/images/index.ts";

const json = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

/** Small files of every kind; size and hash (of the RGB pixels) as Pillow 13 gives them. */
export const files: readonly {
  readonly name: string;
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  readonly hash: string;
  readonly base64: string;
}[] = json("./files.json");

export const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));

export const fileNamed = (name: string): Uint8Array => bytesOf(files.find((file) => file.name === name)!.base64);

export const dataUri = (bytes: Uint8Array, mime = "image/png"): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString("base64")}`;

/** A PNG of one colour. */
export function plainPng(width: number, height: number, grey = 128): Uint8Array {
  return encode({ width, height, channels: 1, data: new Uint8Array(width * height).fill(grey) });
}

/** A header is all that is there: for sizes too large to fill with pixels. */
export function pngHeader(width: number, height: number): Uint8Array {
  const bytes = plainPng(1, 1).slice();
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

export const imageOf = (bytes: Uint8Array): ImageData => readImage(imagePart({ type: "image", image: bytes })!);

/** The error that `run` throws, or rejects with. */
export async function errorOf(run: () => unknown): Promise<{ code: string; message: string; details: object }> {
  try {
    await run();
  } catch (error) {
    return error as { code: string; message: string; details: object };
  }
  throw new Error("nothing was thrown");
}
