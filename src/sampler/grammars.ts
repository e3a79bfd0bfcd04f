import type { LlamaGrammarEvaluationState, LlamaModel } from "node-llama-cpp";
import { boundedCache } from "../boundedCache.ts";
import { TitoError } from "../errors.ts";
import { vocabularyTrie } from "./grammar/index.ts";
import type { PlannedGrammar } from "./grammarOptions.ts";
import { type GrammarVocabulary, type HeldGrammar, holdGrammar, type NativeGrammar } from "./heldGrammar.ts";
import { illFormedIds } from "./illFormedIds.ts";
import type { NativeRuntime } from "./native.ts";
import { tokenBytes } from "./tokenBytes.ts";
import type { SamplerModelInfo } from "./types.ts";

/** Grammars of one model: its vocabulary is read with the first of them, and the last few are kept. @internal */
export interface Grammars {
  readonly vocabulary: () => GrammarVocabulary;
  /** Makes a grammar fit for the model. */
  readonly hold: (planned: PlannedGrammar, stop: ReadonlySet<number>) => HeldGrammar;
  /** A fresh state at the grammar's first character. @throws TitoError `gbnf_unsupported` */
  readonly start: (native: NativeGrammar) => Promise<LlamaGrammarEvaluationState>;
}

/** GGUF's `tokenizer.ggml.token_type`. */
const specialTypes = new Set([3, 4]);

/** @internal */
export function grammarsOf(runtime: NativeRuntime, model: LlamaModel, info: SamplerModelInfo): Grammars {
  const vocabulary = lazily(() => readVocabulary(model, info));
  const byPlan = new WeakMap<PlannedGrammar, (stops: string, make: () => HeldGrammar) => HeldGrammar>();
  const begun = boundedCache<Promise<LlamaGrammarEvaluationState>>(64);
  return {
    vocabulary,
    hold(planned, stop) {
      const byStops = byPlan.get(planned) ?? boundedCache<HeldGrammar>(8);
      byPlan.set(planned, byStops);
      return byStops([...stop].join(), () => holdGrammar(planned, stop, vocabulary()));
    },
    async start(native) {
      const state = await begun(`${native.root} ${native.gbnf}`, () => create(runtime, model, native));
      return state.clone();
    },
  };
}

async function create(runtime: NativeRuntime, model: LlamaModel, { gbnf, root }: NativeGrammar) {
  try {
    const grammar = await model.llama.createGrammar({ grammar: gbnf, rootRuleName: root });
    return new runtime.module.LlamaGrammarEvaluationState({ model, grammar });
  } catch (cause) {
    const reason = [cause instanceof Error ? cause.message : String(cause), ...runtime.takeErrorLog()].join("; ");
    throw new TitoError("gbnf_unsupported", `llama.cpp does not take the grammar: ${reason}. Write it more simply.`, {
      details: { gbnf },
      cause,
    });
  }
}

function readVocabulary(model: LlamaModel, { vocabSize, eogIds }: SamplerModelInfo): GrammarVocabulary {
  const { tokens = [], token_type = [] } = model.fileInfo.metadata.tokenizer?.ggml ?? {};
  const bytes = tokenBytes(tokens, token_type);
  const idOf = (text: string) => {
    const ids = model.tokenize(text, true, "trimLeadingSpace");
    return ids.length === 1 ? ids[0] : undefined;
  };
  const isSpecial = (id: number) => specialTypes.has(token_type[id]!);
  return {
    ...{ bytes, vocabSize, eogIds, idOf, isSpecial },
    specialIds: lazily(() => tokens.flatMap((_, id) => (isSpecial(id) && !eogIds.includes(id) ? [id] : []))),
    trie: lazily(() => vocabularyTrie({ bytesOf: bytes.of, vocabSize, eogIds })),
    illFormed: lazily(() => illFormedIds(bytes.of, vocabSize)),
  };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
