import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PATTERN_NAMES, PATTERNS, type PatternName } from "../../src/tokenizer/pretokenizers/patterns.ts";
import { CLASSES, LETTER, LOWER, MARK, NUMBER, SPACE, SYMBOL, UPPER } from "../../src/tokenizer/unicode/classes.ts";
import { HAN, hanApart } from "../../src/tokenizer/unicode/han.ts";

/** The pattern as JavaScript has to spell it: its `\s` is another set, and it has no `(?i:`. */
function toJavaScript(regex: string): RegExp {
  const source = regex
    .replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?:'(?:[sStTmMdDſ]|[rR][eE]|[vV][eE]|[lL][lL]))")
    .replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?:'(?:[sStTmMdDſ]|[rR][eE]|[vV][eE]|[lL][lL]))")
    .replace(/\[((?:\\p\{\w+\})+)&&\[\^\\p\{Han\}\]\]/g, "(?:(?!\\p{Han})[$1])")
    .replaceAll("\\p{Han}", "\\p{Script=Han}")
    .replaceAll("\\s", "\\p{White_Space}")
    .replaceAll("\\S", "\\P{White_Space}")
    .replace("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]", "[!-\\/:-@\\[-`\\{-~]");
  return new RegExp(source, "gu");
}

/** `Split` with the behaviour `Isolated`: matches, and what is between them. */
function splitBy(regex: RegExp, text: string): string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const match of text.matchAll(regex)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(match[0]);
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

function scan(name: PatternName, text: string): string[] {
  const units = new Uint16Array(text.length + 1);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = PATTERNS[name].scan(units, start, text.length);
    expect(end).toBeGreaterThan(start);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

const PROPERTIES: readonly (readonly [RegExp, number])[] = [
  [/^\p{L}$/u, LETTER],
  [/^\p{N}$/u, NUMBER],
  [/^\p{M}$/u, MARK],
  [/^[\p{P}\p{S}]$/u, SYMBOL],
  [/^\p{White_Space}$/u, SPACE],
  [/^[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]$/u, UPPER],
  [/^[\p{Ll}\p{Lm}\p{Lo}\p{M}]$/u, LOWER],
];
const isHan = /^\p{Script=Han}$/u;

/** This JavaScript engine and the pinned tables agree on the character. */
function isAgreed(char: string): boolean {
  const point = char.codePointAt(0) as number;
  const classes = CLASSES[point];
  if (isHan.test(char) !== ((hanApart()[point] & HAN) !== 0)) return false;
  return PROPERTIES.every(([property, bit]) => property.test(char) === ((classes & bit) !== 0));
}

const interesting = fc.constantFrom(
  ...[
    ..." \n\r\t'/aAzZ09.,!-_(=<\u0000\u0085\u00a0\u2028\u3000éßſİǅʰªⅧ½٣一龥龦゠・かカー々〇〡⺀㐀豈\u0301\u3099\ufffd😀𝟘𠀀",
  ],
  ..."'s 'T 're 'VE 'll 'lL 'd 'ſ ".split(" "),
  "  ",
  "\r\n",
);
const anyChar = fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter(isAgreed);
const texts = fc
  .array(fc.oneof({ weight: 4, arbitrary: interesting }, anyChar), { maxLength: 24 })
  .map((parts) => parts.join(""));

describe.each(PATTERN_NAMES)("scanner of %s", (name) => {
  const regexes = PATTERNS[name].regexes.map(toJavaScript);

  test("cuts where the regular expressions do", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expected = regexes.reduce((pieces, regex) => pieces.flatMap((piece) => splitBy(regex, piece)), [text]);
        expect(scan(name, text)).toEqual(expected.filter((piece) => piece !== ""));
      }),
      { numRuns: 1000 },
    );
  });

  test("reads a lone surrogate as U+FFFD", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(interesting, fc.constantFrom("\ud83d", "\ude00")), { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const lengths = (pieces: readonly string[]) => pieces.map((piece) => piece.length);
        expect(lengths(scan(name, text))).toEqual(lengths(scan(name, text.toWellFormed())));
      }),
    );
  });
});

test("white space is Rust's: with U+0085, without U+FEFF", () => {
  expect(CLASSES[0x85] & SPACE).not.toBe(0);
  expect(CLASSES[0xfeff] & SPACE).toBe(0);
});

test("tables are of Unicode 16: the letter U+105C9 is there, U+33479 of Unicode 17 is not", () => {
  expect(CLASSES[0x105c9] & LETTER).not.toBe(0);
  expect(CLASSES[0x33479]).toBe(0);
});
