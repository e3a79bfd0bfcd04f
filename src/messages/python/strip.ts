/**
 * Python's idea of white space (`str.isspace` of one character), for a UTF-16 code unit. JavaScript's differs: it lacks
 * U+001C..U+001F and U+0085, and has U+FEFF.
 */
export function isPythonSpace(codeUnit: number): boolean {
  if (codeUnit < 0x80)
    return codeUnit === 0x20 || (codeUnit >= 0x09 && codeUnit <= 0x0d) || (codeUnit >= 0x1c && codeUnit <= 0x1f);
  switch (codeUnit) {
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true;
    default:
      return codeUnit >= 0x2000 && codeUnit <= 0x200a;
  }
}

/** Python's `str.strip`: cuts white space, or every leading and trailing code point that is in `chars`. */
export function pythonStrip(text: string, chars?: string): string {
  const strips = stripsOf(chars);
  const start = leading(text, strips);
  return text.slice(start, trailing(text, start, strips));
}

/** Python's `str.lstrip`. */
export function pythonLstrip(text: string, chars?: string): string {
  return text.slice(leading(text, stripsOf(chars)));
}

/** Python's `str.rstrip`. */
export function pythonRstrip(text: string, chars?: string): string {
  return text.slice(0, trailing(text, 0, stripsOf(chars)));
}

type Strips = (codePoint: number) => boolean;

function stripsOf(chars: string | undefined): Strips {
  if (chars === undefined) return isPythonSpace;
  if (chars.length === 1) {
    const only = chars.charCodeAt(0);
    return (codePoint) => codePoint === only;
  }
  const codes = new Set(Array.from(chars, (char) => char.codePointAt(0)!));
  return (codePoint) => codes.has(codePoint);
}

function leading(text: string, strips: Strips): number {
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    if (!strips(code)) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

function trailing(text: string, start: number, strips: Strips): number {
  let end = text.length;
  while (end > start) {
    const pair = end - 2 >= start ? text.codePointAt(end - 2)! : 0;
    const code = pair > 0xffff ? pair : text.charCodeAt(end - 1);
    if (!strips(code)) break;
    end -= code > 0xffff ? 2 : 1;
  }
  return end;
}
