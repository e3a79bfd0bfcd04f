import { MergeList } from "../../bpe/mergeList.ts";
import { type Vocabulary, VocabularyBuilder } from "../../bpe/vocabularyBuilder.ts";
import { invalidJson, type JsonSpan, parseSpan, skipColon, skipSpace, skipString, walkItems } from "./scan.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const BLANK = 32;

/** Reads `model.vocab`: an object from spelling to id. */
export function readVocabulary(bytes: Uint8Array, { start }: JsonSpan): Vocabulary {
  const builder = new VocabularyBuilder();
  walkItems(bytes, start, (at) => {
    const keyEnd = skipString(bytes, at);
    let digit = skipColon(bytes, keyEnd);
    const firstDigit = digit;
    let id = 0;
    for (; bytes[digit] >= 48 && bytes[digit] <= 57; digit++) id = id * 10 + bytes[digit] - 48;
    if (digit === firstDigit) throw invalidJson(digit);
    if (hasEscape(bytes, at, keyEnd)) {
      const key = unescaped(bytes, at, keyEnd);
      builder.addSpelled(id, key, 0, key.length);
    } else {
      builder.addSpelled(id, bytes, at + 1, keyEnd - 1);
    }
    return digit;
  });
  return builder.build();
}

/** Reads `model.merges`: an array of `"left right"` or of `["left", "right"]`, in order of rank. */
export function readMerges(bytes: Uint8Array, { start, end }: JsonSpan, vocabulary: Vocabulary): MergeList {
  const merges = new MergeList(vocabulary, Math.ceil((end - start) / 12));
  walkItems(bytes, start, (at) => {
    if (bytes[at] === QUOTE) return readLine(bytes, at, merges);
    if (bytes[at] === OPEN_BRACKET) return readPair(bytes, at, merges);
    throw invalidJson(at);
  });
  return merges;
}

function readLine(bytes: Uint8Array, at: number, merges: MergeList): number {
  const end = skipString(bytes, at);
  if (hasEscape(bytes, at, end)) {
    const line = unescaped(bytes, at, end);
    addLine(line, 0, line.length, at, merges);
  } else {
    addLine(bytes, at + 1, end - 1, at, merges);
  }
  return end;
}

function addLine(source: Uint8Array, start: number, end: number, at: number, merges: MergeList): void {
  const blank = source.indexOf(BLANK, start);
  if (blank < 0 || blank >= end) throw invalidJson(at);
  merges.addSpelled(source, start, blank, blank + 1, end);
}

function readPair(bytes: Uint8Array, at: number, merges: MergeList): number {
  const left = skipSpace(bytes, at + 1);
  const leftEnd = skipString(bytes, left);
  const comma = skipSpace(bytes, leftEnd);
  if (bytes[comma] !== 44) throw invalidJson(comma);
  const right = skipSpace(bytes, comma + 1);
  const rightEnd = skipString(bytes, right);
  const close = skipSpace(bytes, rightEnd);
  if (bytes[close] !== 93) throw invalidJson(close);
  if (hasEscape(bytes, left, rightEnd)) {
    const first = unescaped(bytes, left, leftEnd);
    const both = Buffer.concat([first, unescaped(bytes, right, rightEnd)]);
    merges.addSpelled(both, 0, first.length, first.length, both.length);
  } else {
    merges.addSpelled(bytes, left + 1, leftEnd - 1, right + 1, rightEnd - 1);
  }
  return close + 1;
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

function unescaped(bytes: Uint8Array, start: number, end: number): Buffer {
  return Buffer.from(parseSpan(bytes, { start, end }) as string, "utf8");
}
