import { type JsonInput, JsonNumber } from "../../src/messages/json/index.ts";
import type { Random } from "./random.ts";

export type Context = ReadonlyMap<string, JsonInput>;

/** Texts with what string functions stumble over: edges, white space of all kinds, case beyond ASCII, markup, numbers. */
export const TEXTS: readonly string[] = [
  "",
  "a",
  "b",
  "x",
  "abc",
  "Hello World",
  "hello wORLD foo",
  "user",
  "assistant",
  "  padded \n",
  "\n",
  "\t tab\t",
  "a,b,,c",
  ",",
  "a b  c",
  "line1\nline2\r\nline3\rline4",
  "\n\na\n\n",
  "ÀÉß straße",
  "日本語テキスト",
  "😀 x😀",
  "e\u0301🏔️",
  "<b>&amp; \"q\" 'p'</b>",
  "\u0000\u001f\u007f",
  "ǆ İ ı ς Σ",
  "ﬁ ŉ",
  "١٢٣",
  "½²",
  "1",
  "-12",
  " 42 ",
  "3.5",
  "1e3",
  "0x1F",
  "1_000",
  "nan",
  "true",
  "None",
  "%s %d",
  "{} {0}",
  "100%",
  "\u2028x\u2029",
  "\u00a0n\u0085b\u3000",
  "\u001c\u001d",
  "<|im_end|>",
  "</think>",
  "a</think>b",
  "it's",
  '"dq"',
  "back\\slash",
  "aXbXc",
  "aaa",
  "_private",
  "camelCase snake_case",
  "http://a.example/x?y=1&z",
  "don't stop",
  "{{ x }}",
  "z\u200b",
];

const INTEGERS = [0, 1, 2, 3, -1, -7, 10, 42, 100, 255, 1000, -1000];
const BIG = [2n ** 53n, -(2n ** 53n) - 1n, 2n ** 64n, 10n ** 30n, -(10n ** 25n)];
const FLOATS = [
  "0.0",
  "-0.0",
  "1.0",
  "-1.5",
  "0.1",
  "2.5",
  "3.5",
  "1e16",
  "1e-7",
  "1.5e300",
  "123456.789",
  "1e22",
  "5e-324",
  "0.30000000000000004",
];

export const float = (text: string): JsonNumber => new JsonNumber(text);

export function randomText(random: Random): string {
  return random.oneIn(4) ? random.pick(TEXTS) + random.pick(TEXTS) : random.pick(TEXTS);
}

export function randomInteger(random: Random): JsonInput {
  return random.oneIn(6) ? random.pick(BIG) : random.pick(INTEGERS);
}

export function randomFloat(random: Random): JsonInput {
  return float(random.oneIn(12) ? random.pick(["NaN", "Infinity", "-Infinity"]) : random.pick(FLOATS));
}

export function randomValue(random: Random, depth: number): JsonInput {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return randomInteger(random);
    case 3:
      return randomFloat(random);
    case 4:
    case 5:
      return randomText(random);
    case 6:
    case 7:
      return random.several(0, 4, () => randomValue(random, depth - 1));
    default:
      return randomObject(random, depth - 1);
  }
}

const KEYS = ["a", "b", "c", "name", "type", "items", "keys", "2", "1", "X y", "ключ", "", "get", "content"];

export function randomObject(random: Random, depth: number): ReadonlyMap<string, JsonInput> {
  return new Map(random.several(0, 4, () => [random.pick(KEYS), randomValue(random, depth)] as const));
}
