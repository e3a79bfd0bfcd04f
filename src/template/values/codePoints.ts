/** Python counts code points where JavaScript counts UTF-16 units; the two differ only in texts with surrogate pairs. */
const pair = /[\ud800-\udbff][\udc00-\udfff]/;

export function hasPairs(text: string): boolean {
  return pair.test(text);
}

/** `len()` of a text. */
export function codePointLength(text: string): number {
  if (!hasPairs(text)) return text.length;
  let length = 0;
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) length++;
  return length;
}

/** UTF-16 index of the code point with this index; the text's length for what lies behind it. */
export function unitIndex(text: string, codePoint: number): number {
  if (!hasPairs(text)) return Math.min(codePoint, text.length);
  let at = 0;
  for (let left = codePoint; left > 0 && at < text.length; left--) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

/** How many code points stand before a UTF-16 index. */
export function codePointIndex(text: string, unit: number): number {
  return codePointLength(text.slice(0, unit));
}
