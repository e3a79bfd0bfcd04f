/*
 * Properties and case mappings of one character, where Python's are not those of a JavaScript regular expression or method.
 * Only what both know is tabled, so that newer Unicode versions stay the runtime's own.
 */

/** Superscripts, circled digits and the like: digits (`isdigit`) that are no decimal digits. */
const digit =
  /[\p{Nd}\xb2\xb3\xb9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]/u;

/** CJK characters that are numbers are letters by category. */
const numeric =
  /[\p{N}\u3405\u3483\u382a\u3b4d\u4e00\u4e03\u4e07\u4e09\u4e5d\u4e8c\u4e94\u4e96\u4ebf\u4ec0\u4edf\u4ee8\u4f0d\u4f70\u5104\u5146\u5169\u516b\u516d\u5341\u5343-\u5345\u534c\u53c1-\u53c4\u56db\u58f1\u58f9\u5e7a\u5efe\u5eff\u5f0c-\u5f0e\u5f10\u62fe\u634c\u67d2\u6f06\u7396\u767e\u8086\u842c\u8cae\u8cb3\u8d30\u9621\u9646\u964c\u9678\u96f6\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd\u{20001}\u{20064}\u{200e2}\u{20121}\u{2092a}\u{20983}\u{2098c}\u{2099c}\u{20aea}\u{20afd}\u{20b19}\u{22390}\u{22998}\u{23b1b}\u{2626d}\u{2f890}]/u;

export function isDecimal(character: string): boolean {
  return /\p{Nd}/u.test(character);
}

/** Value of a decimal digit of any script: they stand in rows of ten that begin with their zero. */
export function decimalValue(character: string): number {
  const code = character.codePointAt(0)!;
  if (code <= 0x39) return code - 0x30;
  // Mathematical digits are five rows without a gap.
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10;
  let value = 0;
  while (value < 9 && isDecimal(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

export function isDigit(character: string): boolean {
  return digit.test(character);
}

export function isNumeric(character: string): boolean {
  return numeric.test(character);
}

export function isLower(character: string): boolean {
  return /\p{Lowercase}/u.test(character);
}

export function isUpper(character: string): boolean {
  return /\p{Uppercase}/u.test(character);
}

export function isTitle(character: string): boolean {
  return /\p{Lt}/u.test(character);
}

export function isCased(character: string): boolean {
  return /\p{Cased}/u.test(character);
}

/** Lower case of the character at an index of its text: a sigma that ends a word has a form of its own. */
export function lowerAt(character: string, at: number, text: string): string {
  if (character !== "Σ") return character.toLowerCase();
  let before = at;
  while (before > 0 && isCaseIgnorable(characterBefore(text, before))) before -= characterBefore(text, before).length;
  if (!isCased(characterBefore(text, before))) return "σ";
  let after = at + 1;
  while (after < text.length && isCaseIgnorable(characterAt(text, after))) after += characterAt(text, after).length;
  return isCased(characterAt(text, after)) ? "σ" : "ς";
}

function isCaseIgnorable(character: string): boolean {
  return /\p{Case_Ignorable}/u.test(character);
}

function characterAt(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "";
}

function characterBefore(text: string, at: number): string {
  const pair = at >= 2 ? characterAt(text, at - 2) : "";
  return pair.length === 2 ? pair : text.charAt(at - 1);
}

/** Each character followed by its title case, where that is not its upper case. */
const titles: ReadonlyMap<string, string> = new Map(
  (
    "\u00dfSs \u01c4\u01c5 \u01c5\u01c5 \u01c6\u01c5 \u01c7\u01c8 \u01c8\u01c8 \u01c9\u01c8 \u01ca\u01cb " +
    "\u01cb\u01cb \u01cc\u01cb \u01f1\u01f2 \u01f2\u01f2 \u01f3\u01f2 \u0587\u0535\u0582 " +
    "\u1fb2\u1fba\u0345 \u1fb3\u1fbc \u1fb4\u0386\u0345 \u1fb7\u0391\u0342\u0345 \u1fbc\u1fbc " +
    "\u1fc2\u1fca\u0345 \u1fc3\u1fcc \u1fc4\u0389\u0345 \u1fc7\u0397\u0342\u0345 \u1fcc\u1fcc " +
    "\u1ff2\u1ffa\u0345 \u1ff3\u1ffc \u1ff4\u038f\u0345 \u1ff7\u03a9\u0342\u0345 \u1ffc\u1ffc \ufb00Ff " +
    "\ufb01Fi \ufb02Fl \ufb03Ffi \ufb04Ffl \ufb05St \ufb06St \ufb13\u0544\u0576 \ufb14\u0544\u0565 " +
    "\ufb15\u0544\u056b \ufb16\u054e\u0576 \ufb17\u0544\u056d"
  )
    .split(" ")
    .map((pair) => [pair.charAt(0), pair.slice(1)] as const),
);

/** Title case of a character: that of a ligature is one capital and the rest small. */
export function titleOf(character: string): string {
  if (character < "ß") return character.toUpperCase();
  const title = titles.get(character);
  if (title !== undefined) return title;
  const code = character.codePointAt(0)!;
  // Georgian letters have capitals, but words do not begin with them.
  if (code >= 0x10d0 && code <= 0x10ff) return character;
  // Greek letters over an iota.
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCharCode(code | 8);
  return character.toUpperCase();
}

/** Full case folding of a character. */
export function foldOf(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return character.toLowerCase();
  if (code === 0x131) return character;
  if (code === 0x1e9e) return "ss";
  // Cherokee folds to its capitals.
  if (code >= 0x13a0 && code <= 0x13f5) return character;
  if (code >= 0x13f8 && code <= 0x13fd) return String.fromCharCode(code - 8);
  if (code >= 0xab70 && code <= 0xabbf) return String.fromCharCode(code - 0xab70 + 0x13a0);
  return character.toUpperCase().toLowerCase();
}
