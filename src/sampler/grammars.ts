import type { LlamaModel } from "node-llama-cpp";
import { boundedCache } from "../boundedCache.ts";
import type { PlannedGrammar } from "./grammarOptions.ts";
import { type GrammarVocabulary, type HeldGrammar, holdGrammar } from "./heldGrammar.ts";
import { tokenBytes } from "./tokenBytes.ts";
import type { SamplerModelInfo } from "./types.ts";

/** Makes grammars fit for a model. @internal */
export type Grammars = (planned: PlannedGrammar, stop: ReadonlySet<number>) => HeldGrammar;

/** Grammars of one model: its vocabulary is read with the first of them, and the last few are kept. @internal */
export function grammarsOf(model: LlamaModel, { vocabSize, eogIds }: SamplerModelInfo): Grammars {
  let vocabulary: GrammarVocabulary | undefined;
  const read = (): GrammarVocabulary => {
    const { tokens = [], token_type = [] } = model.fileInfo.metadata.tokenizer?.ggml ?? {};
    const idOf = (text: string) => {
      const ids = model.tokenize(text, true);
      return ids.length === 1 ? ids[0] : undefined;
    };
    return { bytes: tokenBytes(tokens, token_type), vocabSize, eogIds, idOf };
  };
  const byPlan = new WeakMap<PlannedGrammar, (stops: string, make: () => HeldGrammar) => HeldGrammar>();
  return (planned, stop) => {
    vocabulary ??= read();
    const found = vocabulary;
    const byStops = byPlan.get(planned) ?? boundedCache<HeldGrammar>(8);
    byPlan.set(planned, byStops);
    return byStops([...stop].join(), () => holdGrammar(planned, stop, found));
  };
}
