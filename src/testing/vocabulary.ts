import type fc from "fast-check";
import type { Renderer } from "../renderers/index.ts";
import { plainTexts } from "./text.ts";

/** Texts for one renderer. */
export interface RendererVocabulary {
  /** Contents of the tokenizer's added tokens. */
  readonly markers: readonly string[];
  /** What an assistant may say and be read back by the letter: no markers, no white space at the edges. */
  readonly words: fc.Arbitrary<string>;
}

export function vocabularyOf({ tokenizer }: Renderer): RendererVocabulary {
  const markers = tokenizer.addedTokens.map((token) => token.content);
  const more = ["<think>", "</think>", "<tool_call>", "<function=", "<invoke", "<parameter"];
  return {
    markers,
    words: plainTexts([...markers, ...more], (text) => tokenizer.normalize(text)).filter((one) => !one.startsWith("{")),
  };
}
