import { createRenderer, type Renderer } from "../src/renderers/index.ts";
import type { Tokenizer } from "../src/tokenizer/index.ts";
import type { Vocabulary } from "./vocabularies.ts";

/** A vocabulary, loaded, with a renderer on it. */
export interface Setting {
  readonly vocabulary: Vocabulary;
  readonly tokenizer: Tokenizer;
  readonly renderer: Renderer;
  /** Forgets the pre-tokens seen so far: what a first encounter with a text costs. */
  readonly clearCache: () => void;
}

/**
 * `contentSpecials: "template"` where texts hold marker strings: the peers take them for control tokens, whoever wrote
 * them, and only the same ids can be compared.
 */
export async function setUp(vocabulary: Vocabulary, contentSpecials: "text" | "template"): Promise<Setting> {
  const tokenizer = await vocabulary.load();
  const clearCache = () => (tokenizer as Tokenizer & { clearCache(): void }).clearCache();
  return { vocabulary, tokenizer, renderer: createRenderer(tokenizer, { name: "qwen3", contentSpecials }), clearCache };
}
