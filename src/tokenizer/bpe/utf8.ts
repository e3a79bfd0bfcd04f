/** Writes UTF-16 `units[start, end)` to `target` as UTF-8 and returns the number of bytes; lone surrogates as U+FFFD. */
export function writeUtf8(units: Uint16Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let index = start; index < end; index++) {
    let point = units[index];
    if (point < 0x80) {
      target[length++] = point;
      continue;
    }
    if (point < 0x800) {
      target[length++] = 0xc0 | (point >> 6);
      target[length++] = 0x80 | (point & 0x3f);
      continue;
    }
    if ((point & 0xf800) === 0xd800) {
      const low = index + 1 < end ? units[index + 1] : 0;
      if (point < 0xdc00 && (low & 0xfc00) === 0xdc00) {
        index++;
        point = 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
        target[length++] = 0xf0 | (point >> 18);
        target[length++] = 0x80 | ((point >> 12) & 0x3f);
        target[length++] = 0x80 | ((point >> 6) & 0x3f);
        target[length++] = 0x80 | (point & 0x3f);
        continue;
      }
      point = 0xfffd;
    }
    target[length++] = 0xe0 | (point >> 12);
    target[length++] = 0x80 | ((point >> 6) & 0x3f);
    target[length++] = 0x80 | (point & 0x3f);
  }
  return length;
}
