import type { StoredCall } from "../types.ts";

/** The first byte of a packed call: what is written in another way is not read. */
const VERSION = 1;

/**
 * A call as bytes: a version, the length of a JSON header (4 bytes, little-endian), the header, then ids, bytes, and the ids of
 * the completion and of its opening, as long as the header says. An id is 4 bytes.
 */
export function packCall({ ids, bytes, turn, ...facts }: StoredCall): Uint8Array {
  const { completion = null, ...place } = turn ?? {};
  const parts = [packIds(ids), bytes, packIds(completion?.ids ?? []), packIds(completion?.opening ?? [])];
  const header = {
    ...facts,
    turn: turn && place,
    completion: completion && { reasoning: completion.reasoning, isOpened: completion.opening !== null },
    lengths: parts.map((part) => part.length),
  };
  const text = Buffer.from(JSON.stringify(header), "utf8");
  const lead = Buffer.alloc(5);
  lead.writeUInt8(VERSION, 0);
  lead.writeUInt32LE(text.length, 1);
  return Buffer.concat([lead, text, ...parts]);
}

/** Undefined for bytes that are no packed call. */
export function unpackCall(packed: Uint8Array): StoredCall | undefined {
  const data = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (data.length < 5 || data[0] !== VERSION) return undefined;
  try {
    const start = 5 + data.readUInt32LE(1);
    const { lengths, turn, completion, ...facts } = JSON.parse(data.toString("utf8", 5, start));
    let at = start;
    const [ids, bytes, whole, opening] = (lengths as number[]).map((length) => {
      at += length;
      return Uint8Array.from(data.subarray(at - length, at));
    });
    if (at !== data.length) return undefined;
    const { reasoning, isOpened } = completion ?? {};
    const sampled = completion && { ids: unpackIds(whole), opening: isOpened ? unpackIds(opening) : null, reasoning };
    return { ...facts, ids: unpackIds(ids), bytes, turn: turn && { ...turn, completion: sampled } };
  } catch {
    return undefined;
  }
}

function packIds(ids: ArrayLike<number>): Uint8Array {
  const packed = Buffer.alloc(4 * ids.length);
  for (let at = 0; at < ids.length; at++) packed.writeInt32LE(ids[at], 4 * at);
  return packed;
}

function unpackIds(packed: Uint8Array): Int32Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return Int32Array.from({ length: packed.length / 4 }, (_, at) => view.getInt32(4 * at, true));
}
