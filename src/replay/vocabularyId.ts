import { createHash } from "node:crypto";
import type { Renderer } from "../renderers/renderer.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { RendererIdentity } from "./types.ts";

/** Entries of a vocabulary that are looked at: enough to tell any two apart that are in use. */
const SAMPLES = 4096;

const known = new WeakMap<Tokenizer, string>();

/**
 * Names a vocabulary by what is in it, so that the same model has the same name in another process and from other files. That the
 * very ids of a call mean the same bytes is checked where they are replayed.
 */
export function vocabularyId(tokenizer: Tokenizer): string {
  const seen = known.get(tokenizer);
  if (seen !== undefined) return seen;
  const hash = createHash("sha256");
  const { vocabSize, addedTokens } = tokenizer;
  hash.update(JSON.stringify([vocabSize, addedTokens.map(({ id, content }) => [id, content])]));
  const step = Math.max(1, Math.floor(vocabSize / SAMPLES));
  for (let id = 0; id < vocabSize; id += step) hash.update(`${tokenizer.idToToken(id) ?? ""}\0`);
  const id = hash.digest("hex").slice(0, 32);
  known.set(tokenizer, id);
  return id;
}

/** Under which a renderer's calls are stored. */
export function rendererIdentity({ config, tokenizer }: Pick<Renderer, "config" | "tokenizer">): RendererIdentity {
  return { family: config.name, vocabulary: vocabularyId(tokenizer) };
}
