// Byte-level vocabularies spell each byte as one visible character: printable Latin-1 as itself, the 68 others as
// U+0100 and up, in order. Defined by `bytes_to_unicode` in GPT-2's encoder.py.

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

function buildCharOfByte(): readonly string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
}

/** The character that spells a byte. */
export const CHAR_OF_BYTE: readonly string[] = buildCharOfByte();

/** Byte by the code point that spells it; -1 for the code points below U+0144 that spell none. */
export const BYTE_OF_POINT: Int16Array = buildByteOfPoint();

function buildByteOfPoint(): Int16Array {
  const table = new Int16Array(0x144).fill(-1);
  CHAR_OF_BYTE.forEach((char, byte) => {
    table[char.charCodeAt(0)] = byte;
  });
  return table;
}

/**
 * Reads UTF-8 `source[start, end)` as a spelling and writes the bytes it stands for to `target` at `offset`.
 * Returns how many, or -1 if a character spells no byte.
 */
export function readSpelling(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  offset: number,
): number {
  let length = 0;
  for (let index = start; index < end; index++) {
    let point = source[index];
    if (point >= 0x80) {
      if (point < 0xc2 || point > 0xc5) return -1;
      point = ((point & 0x1f) << 6) | (source[++index] & 0x3f);
    }
    const byte = point < 0x144 ? BYTE_OF_POINT[point] : -1;
    if (byte < 0) return -1;
    target[offset + length++] = byte;
  }
  return length;
}

/** The bytes that a spelling stands for, or undefined if a character spells none. */
export function bytesOfSpelling(spelling: string): Uint8Array | undefined {
  const bytes = new Uint8Array(spelling.length);
  for (let index = 0; index < spelling.length; index++) {
    const byte = BYTE_OF_POINT[spelling.charCodeAt(index)] ?? -1;
    if (byte < 0) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}

export function spellingOfBytes(bytes: Uint8Array): string {
  let spelling = "";
  for (const byte of bytes) spelling += CHAR_OF_BYTE[byte];
  return spelling;
}
