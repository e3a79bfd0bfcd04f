// Random texts through this package's tokenizer and Python `tokenizers`; prints the first texts whose ids differ.
// npx tsx bench/tokenizer/fuzz.ts --python PYTHON [--cases N] [--seed N] NAME=tokenizer.json …
import { parseArgs } from "node:util";
import { loadTokenizer } from "../../src/tokenizer/loaders/files.ts";
import type { Tokenizer } from "../../src/tokenizer/types.ts";
import { LineProcess } from "./lineProcess.ts";

const BATCH = 500;

type Random = (below: number) => number;

/** A small generator (mulberry32), so that a seed names its texts. */
function random(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const SNIPPETS = [
  "'s",
  "'S",
  "'ſ",
  "'ll",
  "'Re",
  "'vE",
  "'d",
  "''t",
  "\r\n",
  "\n\n",
  "  ",
  " \n ",
  "\t",
  "\u0085",
  "\ufeff",
  "\u3000",
  "\u00a0",
  "\u2028",
  "a\u0301",
  "\u0301",
  "e\u0323\u0302",
  "\u0316\u0301",
  "가",
  "\u1100\u1161\u11a8",
  "か\u3099",
  "゠",
  "・",
  "ー",
  "一",
  "龥",
  "龦",
  "<|im_start|>",
  "<think>",
  "</think",
  "<|eot_id|>",
  "<｜User｜>",
  "<｜▁pad▁｜>",
  "٣٤٥",
  "½",
  "Ⅷ",
  "\u{1d7d8}",
  "ǅ",
  "ʰ",
  "İ",
  "ß",
  "Σς",
  "\u0000",
  "\u001b",
  "\u{e0001}",
  "\u{1f600}",
  "👨‍👩‍👧",
  "\ud800",
  "\udc00",
  "//",
  "/*",
  "==",
  "[[",
  "://",
  "C++",
  "x²",
  "\u0897",
  "\u{105c9}",
];

const RANGES: readonly (readonly [number, number])[] = [
  [0x20, 0x7f],
  [0x20, 0x7f],
  [0x61, 0x7b],
  [0x41, 0x5b],
  [0x30, 0x3a],
  [0, 0x20],
  [0x80, 0x250],
  [0x250, 0x700],
  [0x700, 0x1400],
  [0x1a00, 0x2100],
  [0x2000, 0x2070],
  [0x2100, 0x2c00],
  [0x3000, 0x3400],
  [0x4e00, 0x9fff],
  [0xa000, 0xd7a4],
  [0xd800, 0xe000],
  [0xf900, 0x10000],
  [0x10000, 0x11fff],
  [0x16000, 0x18000],
  [0x1d000, 0x1f000],
  [0x1f000, 0x20000],
  [0x20000, 0x33480],
  [0, 0x110000],
];

function text(pick: Random): string {
  const length = 1 + pick(pick(4) === 0 ? 200 : 24);
  let result = "";
  let range = RANGES[pick(RANGES.length)];
  for (let index = 0; index < length; index++) {
    if (pick(3) === 0) range = RANGES[pick(RANGES.length)];
    const kind = pick(12);
    if (kind === 0) result += SNIPPETS[pick(SNIPPETS.length)];
    else if (kind === 1) result += SNIPPETS[pick(SNIPPETS.length)].repeat(1 + pick(4));
    else if (kind === 2) result += " ";
    else result += String.fromCodePoint(range[0] + pick(range[1] - range[0]));
  }
  return pick(400) === 0 ? result.repeat(1 + pick(400)) : result;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: "string", default: "python3" },
    cases: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
  },
});

for (const pair of positionals) {
  const [name, path] = pair.split("=", 2);
  const tokenizer = await loadTokenizer(path);
  await using peer = new LineProcess(values.python, [new URL("peer.py", import.meta.url).pathname]);
  await peer.ask({ kind: "load", path });
  const pick = random(Number(values.seed));
  const total = Number(values.cases);
  let wrong = 0;
  for (let done = 0; done < total; done += BATCH) {
    const texts = Array.from({ length: BATCH }, () => text(pick));
    // Python has no ids for lone surrogates.
    const { ids } = await peer.ask<{ ids: number[][] }>({
      kind: "check",
      texts: texts.map((each) => each.toWellFormed()),
    });
    texts.forEach((each, index) => {
      if (isSame(tokenizer, each, ids[index])) return;
      if (++wrong <= 5) console.log(name, JSON.stringify(each), [...tokenizer.encode(each)], ids[index]);
    });
  }
  console.log(`${name}: ${wrong} of ${total} differ`);
}

function isSame(tokenizer: Tokenizer, input: string, expected: readonly number[]): boolean {
  const ids = tokenizer.encode(input);
  return ids.length === expected.length && ids.every((id, index) => id === expected[index]);
}
