import type { AddedToken, Ids, Tokenizer } from "./types.ts";

/** Ids below are code points, those from here on the tokens in the order in which they were asked for. */
const FIRST_TOKEN = 0x110000;

/**
 * A tokenizer for text that never was ids: a character is its code point, a control token that anyone asks for by its text
 * (`tokenToId`) is one id from then on. With it, what reads ids reads text.
 */
export function characterTokenizer(): Tokenizer {
  const tokens: string[] = [];
  const added: AddedToken[] = [];
  const encoder = new TextEncoder();
  const textOf = (id: number): string =>
    id < FIRST_TOKEN ? String.fromCodePoint(id) : (tokens[id - FIRST_TOKEN] ?? "");
  const decode = (ids: Ids): string => Array.from(ids, textOf).join("");

  function tokenToId(text: string): number {
    const known = tokens.indexOf(text);
    if (known >= 0) return FIRST_TOKEN + known;
    const id = FIRST_TOKEN + tokens.push(text) - 1;
    const plain = { lstrip: false, rstrip: false, singleWord: false, normalized: false };
    added.push({ id, content: text, special: true, ...plain });
    return id;
  }

  function encode(text: string): Int32Array {
    const ids: number[] = [];
    for (let at = 0; at < text.length; ) {
      const token = longestAt(tokens, text, at);
      const id = token < 0 ? text.codePointAt(at)! : FIRST_TOKEN + token;
      ids.push(id);
      at += token < 0 ? (id > 0xffff ? 2 : 1) : tokens[token]!.length;
    }
    return Int32Array.from(ids);
  }

  return {
    nameOrPath: undefined,
    vocabSize: FIRST_TOKEN + 0x10000,
    addedTokens: added,
    eosTokenId: undefined,
    bosTokenId: undefined,
    specialTokens: new Map(),
    chatTemplate: undefined,
    chatTemplates: new Map(),
    templateSources: new Map(),
    encode,
    normalize: (text) => text,
    decode,
    decodeBytes: (ids) => encoder.encode(decode(ids)),
    byteLength: (id) => encoder.encode(textOf(id)).length,
    tokenToId,
    idToToken: textOf,
  };
}

function longestAt(tokens: readonly string[], text: string, at: number): number {
  let best = -1;
  tokens.forEach((token, index) => {
    if (text.startsWith(token, at) && (best < 0 || token.length > tokens[best]!.length)) best = index;
  });
  return best;
}
