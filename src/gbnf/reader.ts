import { type ErrorCode, TitoError } from "../errors.ts";
import { maxCodePoint } from "./codePoints.ts";

/** A place in the text of a grammar; both numbers from 1, columns in code points. */
export interface GbnfPlace {
  readonly line: number;
  readonly column: number;
}

const otherLanguage = /^%llguidance\b/;
const nameCharacter = /[A-Za-z0-9-]/;
const escapes: Readonly<Record<string, number>> = { t: 9, r: 13, n: 10, "\\": 92, '"': 34, "[": 91, "]": 93, "-": 45 };
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The text of a grammar with a position in it: what parsing needs of characters, and errors that say where. */
export class GbnfReader {
  readonly #text: string;
  readonly #places = new WeakMap<object, number>();
  position = 0;
  /** The rule being read, for errors. */
  rule: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.position >= this.#text.length;
  }

  peek(ahead = 0): string | undefined {
    return this.#text[this.position + ahead];
  }

  advance(): void {
    this.position++;
  }

  take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.position)) return false;
    this.position += expected.length;
    return true;
  }

  textFrom(start: number): string {
    return this.#text.slice(start, this.position);
  }

  /** What stands here, for messages. */
  found(): string {
    return this.atEnd ? "the end" : JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.position)!));
  }

  newLine(): boolean {
    return this.take("\r\n") || this.take("\n") || this.take("\r");
  }

  /** Skips blanks and comments, and ends of lines where these may stand. */
  space(newLines: boolean): void {
    const skipped = newLines ? /(?:[ \t\r\n]|#[^\r\n]*)*/y : /(?:[ \t]|#[^\r\n]*)*/y;
    skipped.lastIndex = this.position;
    this.position += skipped.exec(this.#text)![0].length;
  }

  atName = (): boolean => nameCharacter.test(this.peek() ?? " ");
  atDigit = (): boolean => /[0-9]/.test(this.peek() ?? " ");

  name(): string {
    const start = this.position;
    while (this.atName()) this.position++;
    if (this.position === start) {
      this.fail(`expected a rule's name, found ${this.found()}`, "Names have letters, digits and -, and no _");
    }
    return this.textFrom(start);
  }

  integer(): number {
    const start = this.position;
    while (this.atDigit()) this.position++;
    if (this.position === start) this.fail(`expected a number, found ${this.found()}`, "Write decimal digits");
    return Number(this.textFrom(start));
  }

  /** One code point of a text or class, escaped or not. */
  character(): number {
    const start = this.position;
    const code = this.#text.codePointAt(start)!;
    if (code !== 92) {
      this.position += code > 0xffff ? 2 : 1;
      return code;
    }
    const letter = this.#text[start + 1] ?? "";
    this.position += 2;
    if (Object.hasOwn(escapes, letter)) return escapes[letter];
    const length = hexDigits[letter];
    if (length === undefined) {
      this.fail(
        `unknown escape ${JSON.stringify(`\\${letter}`)}`,
        'Escapes are \\n \\r \\t \\\\ \\" \\[ \\] \\- \\xHH \\uHHHH \\UHHHHHHHH',
        start,
      );
    }
    const digits = this.#text.slice(this.position, this.position + length);
    if (digits.length < length || /[^0-9A-Fa-f]/.test(digits)) {
      this.fail(`\\${letter} needs ${length} hexadecimal digits`, "Add leading zeros", start);
    }
    this.position += length;
    const value = Number.parseInt(digits, 16);
    if (value > maxCodePoint) this.fail("no character has this number", "The last one is \\U0010FFFF", start);
    return value;
  }

  refuseOtherLanguages(): void {
    if (!otherLanguage.test(this.#text)) return;
    this.failWith(
      "gbnf_unsupported",
      "this is a grammar for llguidance, not GBNF",
      "Write it in GBNF, or as a JSON schema and use jsonSchemaToGbnf",
      0,
    );
  }

  setPlace(one: object, position: number): void {
    this.#places.set(one, position);
  }

  placeOf(one: object): GbnfPlace | undefined {
    const position = this.#places.get(one);
    return position === undefined ? undefined : this.#place(position);
  }

  fail(what: string, remedy: string, position = this.position): never {
    this.failWith("gbnf_syntax", what, remedy, position);
  }

  failWith(code: ErrorCode, what: string, remedy: string, position: number): never {
    const { line, column } = this.#place(position);
    const inRule = this.rule === undefined ? "" : `, in the rule "${this.rule}"`;
    throw new TitoError(code, `Grammar, line ${line}, column ${column}${inRule}: ${what}. ${remedy}.`, {
      details: { line, column, ...(this.rule === undefined ? {} : { rule: this.rule }) },
    });
  }

  #place(position: number): GbnfPlace {
    const lines = this.#text.slice(0, position).split(/\r\n|\r|\n/);
    return { line: lines.length, column: Array.from(lines[lines.length - 1]).length + 1 };
  }
}
