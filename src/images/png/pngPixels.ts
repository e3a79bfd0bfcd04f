import { channels, colourTypes, inflate, type PngData, readChunks } from "./readChunks.ts";
import { unfilter } from "./unfilter.ts";

/** A part of the picture stored on its own: every pixel, or one of the seven passes of an interlaced file. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
}

const wholePicture: readonly Pass[] = [{ x: 0, y: 0, stepX: 1, stepY: 1 }];
const adam7: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];

/**
 * A PNG's pixels as Pillow's `convert("RGB")` gives them: alpha dropped, grey repeated, 16-bit colour cut to its high byte,
 * 16-bit grey clipped at 255, palette entries that are not there black. An animated file's first picture.
 */
export function pngPixels(bytes: Uint8Array, damaged: (what: string) => Error): Uint8Array {
  const png = readChunks(bytes);
  if (typeof png === "string") throw damaged(png);
  const bits = png.depth * channels[png.colour];
  const passes = (png.interlaced ? adam7 : wholePicture)
    .map((pass) => ({
      ...pass,
      columns: Math.ceil((png.width - pass.x) / pass.stepX),
      rows: Math.ceil((png.height - pass.y) / pass.stepY),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
  const rowBytes = (columns: number) => Math.ceil((columns * bits) / 8);
  const length = passes.reduce((sum, { columns, rows }) => sum + rows * (rowBytes(columns) + 1), 0);
  const data = inflate(png.compressed, length);
  if (!data) throw damaged("the PNG's pixels are damaged or cut off");
  const rgb = new Uint8Array(png.width * png.height * 3);
  const writePixel = pixelWriter(png, data, rgb);
  let start = 0;
  for (const { x, y, stepX, stepY, columns, rows } of passes) {
    const width = rowBytes(columns);
    if (!unfilter(data, start, rows, width, Math.max(1, bits >> 3))) throw damaged("the PNG's rows are damaged");
    for (let row = 0; row < rows; row++) {
      const from = start + row * (width + 1) + 1;
      let to = ((y + row * stepY) * png.width + x) * 3;
      for (let column = 0; column < columns; column++, to += 3 * stepX) writePixel(from, column, to);
    }
    start += rows * (width + 1);
  }
  return rgb;
}

/** `row` and `to` are offsets in the data and in the RGB bytes. */
type WritePixel = (row: number, column: number, to: number) => void;

function pixelWriter({ depth, colour, palette }: PngData, data: Uint8Array, rgb: Uint8Array): WritePixel {
  const wide = depth === 16 ? 2 : 1;
  const stride = wide * channels[colour];
  if (colour === colourTypes.rgb || colour === colourTypes.rgba) {
    return (row, column, to) => {
      const at = row + column * stride;
      rgb[to] = data[at];
      rgb[to + 1] = data[at + wide];
      rgb[to + 2] = data[at + 2 * wide];
    };
  }
  const sample = (row: number, column: number): number => {
    if (depth >= 8) return data[row + column * stride];
    const bit = column * depth;
    return (data[row + (bit >> 3)] >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
  };
  if (colour === colourTypes.palette) {
    return (row, column, to) => {
      const entry = 3 * sample(row, column);
      for (let i = 0; i < 3; i++) rgb[to + i] = palette[entry + i] ?? 0;
    };
  }
  const scale = depth < 8 ? 255 / ((1 << depth) - 1) : 1;
  const clips = depth === 16 && colour === colourTypes.grey;
  return (row, column, to) => {
    let grey = sample(row, column) * scale;
    if (clips) grey = grey === 0 ? data[row + column * stride + 1] : 255;
    rgb[to] = grey;
    rgb[to + 1] = grey;
    rgb[to + 2] = grey;
  };
}
