import type { Ids, Tokenizer } from "../tokenizer/types.ts";

/** A tokenizer with 256 more ids, one for each byte. */
export interface ByteTokens {
  readonly tokenizer: Tokenizer;
  /** Ids of these bytes. */
  spell(bytes: Uint8Array): number[];
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Lets any text begin and end at any byte: a parser that reads a token's bytes one by one says to the byte where a call
 * begins, whatever tokens the vocabulary has.
 */
export function byteTokens(base: Tokenizer): ByteTokens {
  const first = base.vocabSize;
  const isByte = (id: number) => id >= first && id < first + 256;
  const byteLength = (id: number) => (isByte(id) ? 1 : base.byteLength(id));

  function decodeBytes(ids: Ids): Uint8Array {
    const all = Int32Array.from(ids);
    if (!all.some(isByte)) return base.decodeBytes(all);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < all.length; ) {
      const start = at;
      while (at < all.length && isByte(all[at]) === isByte(all[start])) at++;
      const run = all.subarray(start, at);
      parts.push(isByte(run[0]) ? Uint8Array.from(run, (id) => id - first) : base.decodeBytes(run));
    }
    return Buffer.concat(parts);
  }

  const tokenizer: Tokenizer = {
    nameOrPath: base.nameOrPath,
    vocabSize: first + 256,
    addedTokens: base.addedTokens,
    eosTokenId: base.eosTokenId,
    bosTokenId: base.bosTokenId,
    specialTokens: base.specialTokens,
    chatTemplate: base.chatTemplate,
    chatTemplates: base.chatTemplates,
    templateSources: base.templateSources,
    encode: (text, options) => base.encode(text, options),
    normalize: (text) => base.normalize(text),
    decode: (ids) => (ids.some(isByte) ? decoder.decode(decodeBytes(ids)) : base.decode(ids)),
    decodeBytes,
    byteLength,
    tokenToId: (token) => base.tokenToId(token),
    idToToken: (id) => (isByte(id) ? undefined : base.idToToken(id)),
  };
  return { tokenizer, spell: (bytes) => Array.from(bytes, (byte) => first + byte) };
}
