import type { ImageMime } from "./types.ts";

export interface ImageHeader {
  readonly mime: ImageMime;
  /** Pixels, as stored: no EXIF rotation. */
  readonly width: number;
  readonly height: number;
}

type ReadSize = (bytes: Uint8Array, view: DataView) => readonly [width: number, height: number] | null;

const formats: readonly { readonly mime: ImageMime; readonly magic: readonly Magic[]; readonly size: ReadSize }[] = [
  { mime: "image/png", magic: [[0, "\x89PNG\r\n\x1a\n"]], size: pngSize },
  { mime: "image/jpeg", magic: [[0, "\xff\xd8\xff"]], size: jpegSize },
  {
    mime: "image/webp",
    magic: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
    size: webpSize,
  },
  { mime: "image/gif", magic: [[0, "GIF87a"]], size: gifSize },
  { mime: "image/gif", magic: [[0, "GIF89a"]], size: gifSize },
  { mime: "image/bmp", magic: [[0, "BM"]], size: bmpSize },
];

type Magic = readonly [offset: number, text: string];

/** Null if the bytes are no image of a known format; "damaged" with the format if its header cannot be read. */
export function readHeader(bytes: Uint8Array): ImageHeader | { readonly damaged: ImageMime } | null {
  const format = formats.find(({ magic }) => magic.every(([offset, text]) => startsWith(bytes, offset, text)));
  if (!format) return null;
  const { mime } = format;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = format.size(bytes, view);
  return size && size[0] > 0 && size[1] > 0 ? { mime, width: size[0], height: size[1] } : { damaged: mime };
}

function startsWith(bytes: Uint8Array, offset: number, text: string): boolean {
  if (bytes.length < offset + text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[offset + i] !== text.charCodeAt(i)) return false;
  return true;
}

function pngSize(bytes: Uint8Array, view: DataView): readonly [number, number] | null {
  return bytes.length >= 33 && startsWith(bytes, 12, "IHDR") ? [view.getUint32(16), view.getUint32(20)] : null;
}

/** Walks the segments to the frame header, which has the size; bytes of padding and stuffing between them are passed. */
function jpegSize(bytes: Uint8Array, view: DataView): readonly [number, number] | null {
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1];
    if (marker === 0xff) at++;
    else if (marker === 0x00) {
      at = bytes.indexOf(0xff, at + 2);
      if (at < 0) return null;
    } else if ((marker >= 0xd0 && marker <= 0xd8) || marker === 0x01) at += 2;
    else if (marker === 0xd9 || marker === 0xda) return null;
    else if (isFrameHeader(marker)) {
      return at + 9 <= bytes.length ? [view.getUint16(at + 7), view.getUint16(at + 5)] : null;
    } else at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** SOF0 to SOF15; among them DHT, JPG and DAC have numbers, too. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The logical screen, or more if the first picture reaches beyond it, as decoders then make room. */
function gifSize(bytes: Uint8Array, view: DataView): readonly [number, number] | null {
  if (bytes.length < 13) return null;
  const screen = [view.getUint16(6, true), view.getUint16(8, true)] as const;
  let at = 13 + (bytes[10] & 0x80 ? 3 << ((bytes[10] & 7) + 1) : 0);
  while (at < bytes.length) {
    const block = bytes[at];
    if (block === 0x3b) return null;
    if (block === 0x2c) {
      if (at + 10 > bytes.length) return null;
      const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true);
      const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true);
      return [Math.max(screen[0], right), Math.max(screen[1], bottom)];
    }
    if (block !== 0x21) at++;
    else {
      at += 2;
      while (at < bytes.length && bytes[at] !== 0) at += bytes[at] + 1;
      at++;
    }
  }
  return null;
}

/** Lossy, lossless, or extended, whose canvas counts. */
function webpSize(bytes: Uint8Array, view: DataView): readonly [number, number] | null {
  if (bytes.length < 30) return null;
  if (startsWith(bytes, 12, "VP8X")) {
    const uint24 = (at: number) => view.getUint16(at, true) | (bytes[at + 2] << 16);
    return [uint24(24) + 1, uint24(27) + 1];
  }
  if (startsWith(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  if (startsWith(bytes, 12, "VP8 ") && startsWith(bytes, 23, "\x9d\x01\x2a")) {
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  }
  return null;
}

/** The height of rows stored from the top down is negative. */
function bmpSize(bytes: Uint8Array, view: DataView): readonly [number, number] | null {
  if (bytes.length < 26) return null;
  const headerSize = view.getUint32(14, true);
  if (headerSize === 12) return [view.getUint16(18, true), view.getUint16(20, true)];
  return headerSize >= 16 ? [view.getInt32(18, true), Math.abs(view.getInt32(22, true))] : null;
}
