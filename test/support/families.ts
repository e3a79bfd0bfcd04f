import { type Tokenizer, tokenizerFromGguf } from "../../src/index.ts";
import { modelFile } from "./qwen3.ts";

const FIRST_ADDED_ID = 151_643;

/**
 * A tokenizer with a family's own markers: the embedded model's byte-level vocabulary, and these added tokens in place of
 * its own. A marker that is not among them is spelled with several tokens.
 */
export function familyTokenizer(nameOrPath: string, added: readonly string[], eosToken = added[0]): Tokenizer {
  const flags = { special: true, lstrip: false, rstrip: false, singleWord: false, normalized: false };
  const addedTokens = added.map((content, index) => ({ id: FIRST_ADDED_ID + index, content, ...flags }));
  return tokenizerFromGguf(modelFile, { nameOrPath, addedTokens, eosToken });
}
