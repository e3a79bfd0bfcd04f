import { inflateSync } from "node:zlib";

/** What a PNG file says of its pixels; `data` is still filtered. */
export interface PngData {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: ColourType;
  readonly interlaced: boolean;
  /** RGB, 3 bytes an entry; empty if there is none. */
  readonly palette: Uint8Array;
  readonly compressed: readonly Uint8Array[];
}

export const colourTypes = { grey: 0, rgb: 2, palette: 3, greyAlpha: 4, rgba: 6 } as const;
export type ColourType = (typeof colourTypes)[keyof typeof colourTypes];

const depths: Readonly<Record<ColourType, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
export const channels: Readonly<Record<ColourType, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A reason instead of data means that the file is damaged. Only what pixels need is read; a missing end is no matter. */
export function readChunks(bytes: Uint8Array): PngData | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [depth, colour, compression, filter, interlace] = bytes.subarray(24, 29);
  if (!isColourType(colour) || !depths[colour].includes(depth))
    return `no PNG has colour type ${colour} with depth ${depth}`;
  if (compression !== 0 || filter !== 0 || interlace > 1) return "the PNG uses a method that the format does not know";
  let palette: Uint8Array = new Uint8Array(0);
  const compressed: Uint8Array[] = [];
  for (let at = 33; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = view.getUint32(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === PLTE) palette = body;
    else if (type === IDAT) compressed.push(body);
    else if (type === IEND) break;
    at += length + 12;
  }
  if (compressed.length === 0) return "the PNG holds no pixels";
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth,
    colour,
    interlaced: interlace === 1,
    palette,
    compressed,
  };
}

/** Inflates to `length` bytes; null if the data is damaged or gives another length. Never holds much more than `length`. */
export function inflate(compressed: readonly Uint8Array[], length: number): Uint8Array | null {
  try {
    const data = inflateSync(compressed.length === 1 ? compressed[0] : Buffer.concat(compressed), {
      maxOutputLength: length,
    });
    return data.length === length ? data : null;
  } catch {
    return null;
  }
}

const PLTE = 0x504c5445;
const IDAT = 0x49444154;
const IEND = 0x49454e44;

function isColourType(value: number): value is ColourType {
  return value in channels;
}
