import { SyntaxFault } from "./syntaxFault.ts";

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);
const OCTAL = /[0-7]{1,3}/y;
const HEX = /^[0-9a-fA-F]+$/;

/**
 * The value of a string literal's inside. Unknown escapes stay as they are. A backslash before a character that is not ASCII
 * gives that character's own escape as text (`\é` is the four characters `\xe9`), because Jinja escapes such characters before
 * it reads the escapes. `at` is where the inside starts. Throws a SyntaxFault.
 */
export function decodeEscapes(inside: string, at: number): string {
  let decoded = "";
  let done = 0;
  for (let slash = inside.indexOf("\\"); slash >= 0; slash = inside.indexOf("\\", done)) {
    decoded += inside.slice(done, slash);
    const code = inside.codePointAt(slash + 1)!;
    const char = String.fromCodePoint(code);
    done = slash + 1 + char.length;
    const simple = SIMPLE.get(char);
    const digits = HEX_DIGITS.get(char);
    if (simple !== undefined) decoded += simple;
    else if (digits !== undefined) {
      decoded += hexEscape(inside.slice(done, done + digits), char, digits, at + slash);
      done += digits;
    } else if (code >= 0x30 && code <= 0x37) {
      OCTAL.lastIndex = slash + 1;
      const octal = OCTAL.exec(inside)![0];
      decoded += String.fromCharCode(Number.parseInt(octal, 8));
      done = slash + 1 + octal.length;
    } else if (char === "N") {
      throw new SyntaxFault(`the escape \\N{…} is not supported: write the character itself or \\uXXXX`, at + slash);
    } else decoded += code < 0x80 ? `\\${char}` : `\\${escapeOf(code)}`;
  }
  return decoded + inside.slice(done);
}

function hexEscape(hex: string, letter: string, digits: number, at: number): string {
  if (hex.length < digits || !HEX.test(hex))
    throw new SyntaxFault(`the escape \\${letter} needs ${digits} hexadecimal digits`, at);
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) throw new SyntaxFault(`\\${letter}${hex} is no Unicode character`, at);
  return String.fromCodePoint(code);
}

function escapeOf(code: number): string {
  if (code <= 0xff) return `x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `u${code.toString(16).padStart(4, "0")}` : `U${code.toString(16).padStart(8, "0")}`;
}
