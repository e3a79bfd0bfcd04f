/** A place in a text: line and column from 1, the column in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What is shown of a long line, in UTF-16 units: templates in JSON files are often one line. */
const BEFORE = 60;
const AFTER = 60;

/**
 * The line of a place and a caret under it, with `length` units marked: two lines, the first with its number. Only what
 * stands near the place is shown of a long line.
 */
export function excerpt(source: string, { line, column }: Place, length = 1): string[] {
  const whole = source.replace(/\r\n?/g, "\n").split("\n")[line - 1] ?? "";
  const at = Math.min(column - 1, whole.length);
  const start = onCharacter(whole, at > BEFORE + 20 ? at - BEFORE : 0);
  const end = onCharacter(whole, whole.length - at > AFTER + 20 ? at + AFTER : whole.length);
  const [head, tail] = [start > 0 ? "…" : "", end < whole.length ? "…" : ""];
  const margin = `${line} | `;
  const before = visible(`${head}${whole.slice(start, at)}`);
  const marked = displayWidth(visible(whole.slice(at, Math.min(at + length, end))));
  return [
    `${margin}${before}${visible(whole.slice(at, end))}${tail}`,
    `${" ".repeat(margin.length + displayWidth(before))}^${"~".repeat(Math.max(0, marked - 1))}`,
  ];
}

/** Columns of a terminal; wide characters have two, marks that combine have none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    if (!/^\p{Mark}$|^[\u200b-\u200d]$/u.test(character)) width += WIDE.test(character) ? 2 : 1;
  return width;
}

const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u;

/** A tab is one blank, so that the caret stands under its place; other control characters have their pictures. */
function visible(text: string): string {
  return text
    .replaceAll("\t", " ")
    .replace(/[\0-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replaceAll("\x7f", "\u2421");
}

/** Not between the halves of a surrogate pair. */
function onCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") && at > 0 ? at - 1 : at;
}
