import { TitoError } from "../../../errors.ts";

// Wire types of protocol buffers.
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The fields of a message, in the file's order: varints and 32-bit floats as numbers, everything else as bytes. */
export type ProtoFields = readonly { readonly field: number; readonly value: number | Uint8Array }[];

/** Reads one message. Throws `tokenizer_invalid` where the bytes are none. */
export function readProto(bytes: Uint8Array): ProtoFields {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: { field: number; value: number | Uint8Array }[] = [];
  let at = 0;
  const take = (length: number): number => {
    const start = at;
    at += length;
    if (at > bytes.length) throw malformed();
    return start;
  };
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[take(1)];
      // Values are below 2^53 but for negative ones, which take ten bytes and are no ids of ours.
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value >= 2 ** 63 ? -1 : value;
      if (factor > 2 ** 63) throw malformed();
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Math.floor(tag / 8);
    if (field === 0) throw malformed();
    switch (tag % 8) {
      case VARINT:
        fields.push({ field, value: varint() });
        break;
      case FIXED32:
        fields.push({ field, value: view.getFloat32(take(4), true) });
        break;
      case FIXED64:
        take(8);
        break;
      case BYTES: {
        const length = varint();
        const start = take(length);
        fields.push({ field, value: bytes.subarray(start, start + length) });
        break;
      }
      default:
        throw malformed();
    }
  }
  return fields;
}

function malformed(): TitoError {
  return new TitoError(
    "tokenizer_invalid",
    "The file is no SentencePiece model. Check it; ranks in base64 lines (tiktoken) are read by tokenizerFromTiktoken.",
  );
}
