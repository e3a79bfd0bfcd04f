import { crc32, deflateSync } from "node:zlib";
import fc from "fast-check";
import type { ContentPart } from "../messages/index.ts";

/** Image parts with a PNG of one colour as data URI, in the ways in which clients write them. */
export function images(): fc.Arbitrary<ContentPart> {
  const uri = fc
    .record({
      width: fc.integer({ min: 1, max: 200 }),
      height: fc.integer({ min: 1, max: 200 }),
      grey: fc.integer({ min: 0, max: 255 }),
    })
    .map((one) => `data:image/png;base64,${png(one).toString("base64")}`);
  return fc.oneof(
    uri.map((image) => ({ type: "image", image })),
    uri.map((url) => ({ type: "image_url", image_url: { url } })),
  );
}

/** The smallest PNG there is: 8 bit grey, one deflated block. */
function png({
  width,
  height,
  grey,
}: {
  readonly width: number;
  readonly height: number;
  readonly grey: number;
}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width, grey)]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
