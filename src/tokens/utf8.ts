const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const NOTHING = new Uint8Array(0);

/**
 * Bytes to text in pieces. A character that is cut at the end of a piece waits for its other bytes; what can never
 * become a character is U+FFFD, as when all bytes are decoded at once. `pending` is the whole state.
 */
export class Utf8Stream {
  pending: Uint8Array;

  constructor(pending: Uint8Array | readonly number[] = NOTHING) {
    this.pending = Uint8Array.from(pending);
  }

  push(bytes: Uint8Array): string {
    const all = this.pending.length === 0 ? bytes : concat(this.pending, bytes);
    const whole = all.length - unfinishedTail(all);
    this.pending = whole === all.length ? NOTHING : all.slice(whole);
    return decoder.decode(whole === all.length ? all : all.subarray(0, whole));
  }

  /** The text of what still waits. */
  end(): string {
    const rest = this.pending;
    this.pending = NOTHING;
    return rest.length === 0 ? "" : decoder.decode(rest);
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/**
 * How many bytes at the end look like the beginning of a character that more bytes could complete (0–3). One that turns
 * out never to be a character has waited for nothing, but comes out as the same U+FFFD.
 */
function unfinishedTail(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const lead = bytes[end - back];
    if ((lead & 0xc0) === 0x80) continue;
    const length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    if (back >= length) return 0;
    return back;
  }
  return 0;
}
