import { llama3Scanner, qwen2Scanner, qwen35Scanner } from "./cl100k.ts";
import { deepseekScanner } from "./deepseek.ts";
import { gpt2Scanner } from "./gpt2.ts";
import { kimiScanner, o200kScanner } from "./o200k.ts";
import type { Scanner } from "./types.ts";

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const WHITE_SPACE = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const UPPER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const LOWER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";

const cl100k = (digits: string): string =>
  `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${WHITE_SPACE}`;

const word = (upper: string, lower: string, suffix: string): string =>
  `[^\\r\\n\\p{L}\\p{N}]?${upper}*${lower}+${suffix}|[^\\r\\n\\p{L}\\p{N}]?${upper}+${lower}*${suffix}`;

const o200k = (suffix: string, digits: string): string =>
  `${word(UPPER, LOWER, suffix)}|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${WHITE_SPACE}`;

const notHan = (classes: string): string => classes.replace(/]$/, "&&[^\\p{Han}]]");

export type PatternName = "gpt2" | "qwen2" | "qwen3.5" | "llama3" | "deepseek_v3" | "o200k" | "tekken" | "kimi";

export interface Pattern {
  readonly scan: Scanner;
  /** The regular expressions, applied one inside the other, exactly as a `tokenizer.json` spells them. */
  readonly regexes: readonly string[];
}

/** The pre-tokenizers that have a hand-written scanner. */
export const PATTERNS: Readonly<Record<PatternName, Pattern>> = {
  gpt2: {
    scan: gpt2Scanner,
    regexes: ["'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"],
  },
  qwen2: { scan: qwen2Scanner, regexes: [cl100k("\\p{N}")] },
  "qwen3.5": {
    scan: qwen35Scanner,
    regexes: [
      `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${WHITE_SPACE}`,
    ],
  },
  llama3: { scan: llama3Scanner, regexes: [cl100k("\\p{N}{1,3}")] },
  deepseek_v3: {
    scan: deepseekScanner,
    regexes: [
      "\\p{N}{1,3}",
      "[一-龥぀-ゟ゠-ヿ]+",
      "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+" +
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    ],
  },
  o200k: {
    scan: o200kScanner({ maxDigits: 3, contractions: true }),
    regexes: [o200k(`${CONTRACTIONS}?`, "\\p{N}{1,3}")],
  },
  tekken: { scan: o200kScanner({ maxDigits: 1, contractions: false }), regexes: [o200k("", "\\p{N}")] },
  kimi: {
    scan: kimiScanner,
    regexes: [
      `[\\p{Han}]+|${word(notHan(UPPER), notHan(LOWER), `${CONTRACTIONS}?`)}|\\p{N}{1,3}` +
        `| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${WHITE_SPACE}`,
    ],
  },
};

export const PATTERN_NAMES = Object.keys(PATTERNS) as readonly PatternName[];
