import type { LlamaGrammarEvaluationState, LlamaModel } from "node-llama-cpp";
import { type Gbnf, printGbnf } from "../../src/gbnf/index.ts";
import { type VocabularyTrie, vocabularyTrie } from "../../src/sampler/grammar/index.ts";
import { eogIdsOf, startNative } from "../../src/sampler/native.ts";
import { tokenBytes } from "../../src/sampler/tokenBytes.ts";
import { modelFile } from "./qwen3.ts";

/** A grammar's state in llama.cpp. */
export interface NativeState {
  readonly allows: (id: number) => boolean;
  /** Only for ids that are allowed: another one ends the process. */
  readonly accept: (id: number) => void;
  readonly clone: () => NativeState;
}

export interface NativeGrammars {
  readonly trie: VocabularyTrie;
  readonly eogIds: readonly number[];
  readonly begin: (gbnf: Gbnf, root?: string) => Promise<NativeState>;
  readonly dispose: () => Promise<void>;
}

interface Bindings {
  readonly acceptGrammarEvaluationStateToken: (state: unknown, id: number) => void;
  readonly canBeNextTokenForGrammarEvaluationState: (state: unknown, id: number) => boolean;
}

/** llama.cpp's own reading of grammars, for the embedded model's vocabulary. */
export async function nativeGrammars(): Promise<NativeGrammars> {
  const { llama, module } = await startNative(false);
  const model = await llama.loadModel({ modelPath: modelFile, vocabOnly: true });
  const { AddonSampler } = (llama as unknown as { readonly _bindings: { readonly AddonSampler: Bindings } })._bindings;
  const stateOf = (state: LlamaGrammarEvaluationState): NativeState => {
    const inner = (state as unknown as { readonly _state: unknown })._state;
    return {
      allows: (id) => AddonSampler.canBeNextTokenForGrammarEvaluationState(inner, id),
      accept: (id) => AddonSampler.acceptGrammarEvaluationStateToken(inner, id),
      clone: () => stateOf(state.clone()),
    };
  };
  const eogIds = eogIdsOf(model);
  return {
    trie: trieOf(model, eogIds),
    eogIds,
    async begin(gbnf, root = "root") {
      const grammar = await llama.createGrammar({ grammar: printGbnf(gbnf), rootRuleName: root });
      return stateOf(new module.LlamaGrammarEvaluationState({ model, grammar }));
    },
    dispose: () => model.dispose(),
  };
}

function trieOf(model: LlamaModel, eogIds: readonly number[]): VocabularyTrie {
  const { tokens = [], token_type = [] } = model.fileInfo.metadata.tokenizer?.ggml ?? {};
  return vocabularyTrie({
    bytesOf: tokenBytes(tokens, token_type).of,
    vocabSize: tokens.length,
    eogIds,
  });
}
