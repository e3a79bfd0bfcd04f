import type { ControlledEvaluateIndexOutput, ControlledEvaluateInputItem, Token } from "node-llama-cpp";

/** Something asked about the id that follows a place in a sequence. */
export interface Question<Answer> {
  readonly kind: "question";
  /** The last id before the place, with what is to be told of it. */
  readonly item: (lastId: number) => ControlledEvaluateInputItem;
  /** The answer; or a further question, where this one did not suffice. */
  readonly read: (
    output: ControlledEvaluateIndexOutput["next"],
  ) => { readonly kind: "answer"; readonly value: Answer } | Question<Answer>;
}

type GenerateNext = NonNullable<Exclude<ControlledEvaluateInputItem, Token>[1]["generateNext"]>;

/** What a question asks of node-llama-cpp. */
export interface Asked {
  /** Ids whose logits are wanted. Few of them: the addon looks for each candidate in the list. */
  readonly tokens: readonly number[];
  /** How many of the likeliest to list. Anything but 0 sorts the candidates: some 10 ms for 151,936. */
  readonly top: number;
  readonly options: NonNullable<GenerateNext["options"]>;
}

/** What it answers. Logits are as the chain left them: biased, penalised, and divided by a temperature that is not 0. */
export interface Told {
  readonly logits: ReadonlyMap<number, number>;
  /** Log of the sum of exp(logit) over all ids that the chain kept. */
  readonly logTotal: number;
}

/**
 * The likeliest id is always told, too: the weights' total is relative to its logit. Without `top` it must be the one that the chain
 * selects, so that the chain must be a greedy one (`includeMax` gives it only when it is also asked for by id). The addon's 32-bit sum
 * is then even more exact, in the vocabulary's order.
 */
export function question<Answer>(
  { tokens, top, options }: Asked,
  read: (told: Told) => Answer | Question<Answer>,
): Question<Answer> {
  const generateNext: GenerateNext = {
    logits: { filter: { tokens: tokens as Token[], includeSelected: top === 0, includeTop: top } },
    totalLogitWeight: true,
    options,
  };
  return {
    kind: "question",
    item: (lastId) => [lastId as Token, { generateNext }],
    read({ logits, totalLogitWeight }) {
      if (logits === undefined || logits.size === 0 || totalLogitWeight === undefined)
        throw new Error("the native sampler returned no logits");
      let highest = Number.NEGATIVE_INFINITY;
      for (const logit of logits.values()) highest = Math.max(highest, logit);
      const answer = read({ logits, logTotal: highest + Math.log(totalLogitWeight) });
      return isQuestion(answer) ? answer : { kind: "answer", value: answer };
    },
  };
}

function isQuestion<Answer>(answer: Answer | Question<Answer>): answer is Question<Answer> {
  return typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === "question";
}

/** Of the list that an answer has, the likeliest first. */
export const likeliest = (logits: ReadonlyMap<number, number>): [number, number][] =>
  [...logits].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
