import { UNASSIGNED_IN_9 } from "./data.ts";
import { CODE_POINTS, forEachRange } from "./ranges.ts";

// The `tokenizers` library composes with tables of Unicode 9.0: a combining mark that is younger neither moves nor
// composes there. The engine's own tables are newer and move on with every release, so text is cut at younger characters.

let younger: Uint8Array | undefined;

function youngerThanNine(): Uint8Array {
  if (younger !== undefined) return younger;
  const table = new Uint8Array(CODE_POINTS >> 3);
  forEachRange(UNASSIGNED_IN_9, (start, end) => {
    for (let point = start; point < end; point++) table[point >> 3] |= 1 << (point & 7);
  });
  younger = table;
  return table;
}

/**
 * Code units that no normalisation changes, whatever stands beside them: the ranges that most text is made of. Of a
 * surrogate pair the high one decides; U+1F000 to U+1FBFF are emoji and pictures.
 */
function isInert(unit: number): boolean {
  if (unit < 0x300) return true;
  if (unit < 0x3030) {
    return (
      (unit >= 0x2010 && unit < 0x20d0) ||
      (unit >= 0x212c && unit < 0x2adc && unit !== 0x2329 && unit !== 0x232a) ||
      (unit >= 0x3000 && unit < 0x302a)
    );
  }
  if (unit < 0xa000) return unit !== 0x3099 && unit !== 0x309a;
  return (
    (unit >= 0xd83c && unit <= 0xd83e) ||
    (unit >= 0xdc00 && unit <= 0xdfff) ||
    (unit >= 0xfe00 && unit <= 0xfe0f) ||
    (unit >= 0xff01 && unit <= 0xffee)
  );
}

/** True if the first `length` units are in normalisation form C for certain; false means that it has to be tried. */
export function isSurelyNfc(units: Uint16Array, length: number): boolean {
  let index = 0;
  // Four units that are below U+0300 together are so each.
  while (index + 4 <= length) {
    if ((units[index] | units[index + 1] | units[index + 2] | units[index + 3]) >= 0x300) {
      for (let each = index; each < index + 4; each++) if (!isInert(units[each])) return false;
    }
    index += 4;
  }
  for (; index < length; index++) if (!isInert(units[index])) return false;
  return true;
}

/** Normalisation form C by the tables of Unicode 9.0, as Hugging Face `tokenizers` has it. Linear. */
export function normalizeNfc(text: string): string {
  const newest = text.normalize("NFC");
  if (newest === text) return text;
  const table = youngerThanNine();
  let result = "";
  let start = 0;
  for (let index = 0; index < text.length; ) {
    const point = text.codePointAt(index) as number;
    const next = index + (point > 0xffff ? 2 : 1);
    if (point >= 0x300 && (table[point >> 3] & (1 << (point & 7))) !== 0) {
      result += text.slice(start, index).normalize("NFC") + text.slice(index, next);
      start = next;
    }
    index = next;
  }
  return start === 0 ? newest : result + text.slice(start).normalize("NFC");
}
