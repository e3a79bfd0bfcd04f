import {
  createRenderer,
  type Renderer,
  type RendererConfigInput,
  TitoError,
  type Tokenizer,
  tokenizerFromGguf,
} from "../../src/index.ts";
import { modelFile } from "./qwen3.ts";

const FIRST_ADDED_ID = 151_643;

const tokenizers = new Map<string, Tokenizer>();

/**
 * A tokenizer with a family's own markers: the embedded model's byte-level vocabulary, and these added tokens in place of
 * its own. A marker that is not among them is spelled with several tokens.
 */
export function familyTokenizer(nameOrPath: string, added: readonly string[], eosToken = added[0]): Tokenizer {
  const key = JSON.stringify([nameOrPath, added, eosToken]);
  const flags = { special: true, lstrip: false, rstrip: false, singleWord: false, normalized: false };
  const addedTokens = added.map((content, index) => ({ id: FIRST_ADDED_ID + index, content, ...flags }));
  const tokenizer = tokenizers.get(key) ?? tokenizerFromGguf(modelFile, { nameOrPath, addedTokens, eosToken });
  tokenizers.set(key, tokenizer);
  return tokenizer;
}

/** A family's renderer on a tokenizer with the markers that the family asks for, and `more`. */
export function familyRenderer(config: RendererConfigInput, more: readonly string[] = []): Renderer {
  return createRenderer(familyTokenizer("", [...new Set([...requiredMarkers(config), ...more])]), config);
}

/** What a family misses in a vocabulary that has none of its markers. */
function requiredMarkers(config: RendererConfigInput): string[] {
  const needed: string[] = [];
  const empty = familyTokenizer("", ["<|none|>"]);
  const lookups = { tokenToId: (token: string) => (needed.includes(token) ? needed.indexOf(token) : undefined) };
  for (;;) {
    try {
      createRenderer(Object.assign(Object.create(empty) as Tokenizer, lookups), config);
      return needed;
    } catch (error) {
      if (!(error instanceof TitoError) || error.code !== "token_missing") throw error;
      needed.push(...(error.details.missing as string[]));
    }
  }
}
