import { randomInt } from "node:crypto";
import { TitoError } from "../errors.ts";
import type { Ids } from "../tokenizer/types.ts";
import { type GrammarOptions, type PlannedGrammar, readGrammar, refuseBesideGrammar } from "./grammarOptions.ts";
import { checkIdSet } from "./ids.ts";
import { checkSegmentPolicy } from "./policy/checkSegmentPolicy.ts";
import type { SegmentPolicy } from "./policy/types.ts";
import { refuse, refuseUnknown } from "./refuse.ts";

/** Penalty on repeating sequences (DRY). It looks at the ids sampled by the same call only, not at the prompt. */
export interface DryOptions {
  /** Strength of the penalty, at least 0 (off); 0.8 is usual. */
  readonly strength: number;
  /** Growth of the penalty with the length of the repeat, at least 1. Default 1.75. */
  readonly base?: number;
  /** The longest repeat, in tokens, that is not penalised; at least 1. Default 2. */
  readonly allowedLength?: number;
  /** How many of the sampled ids are looked at. Default: all. */
  readonly window?: number;
  /** Texts at which a repeat is cut. Default `["\n", ":", "\"", "*"]`. */
  readonly sequenceBreakers?: readonly string[];
}

/** Exclude top choices (XTC): with `probability`, drop every id above `threshold` but the least likely of them. */
export interface XtcOptions {
  /** 0 (off) to 1. */
  readonly probability: number;
  /** 0 to 0.5: llama.cpp switches XTC off above a half, where two ids can never qualify. */
  readonly threshold: number;
}

/**
 * The distribution an id is drawn from. Every default is neutral: without options it is the model's own, softmax(logits).
 *
 * The steps are applied in this order, llama.cpp's as node-llama-cpp builds it; for a grammar see `grammarFirst`:
 * 1. `logitBias`
 * 2. `repeatPenalty`, then `frequencyPenalty` and `presencePenalty`
 * 3. `dry`
 * 4. `topK`
 * 5. `topP`, measured at temperature 1
 * 6. `minP`, measured at temperature 1
 * 7. `xtc`, measured at temperature 1
 * 8. `temperature`
 * 9. the draw
 *
 * At `temperature: 0` steps 4 to 6 and 8 cannot change the outcome, and the likeliest id of what is left is taken: the distribution is
 * a single point, and every log-probability 0. With `xtc` the log-probability is that of the distribution left after XTC's own coin.
 *
 * Cost: looking at all candidates dominates small models. Over a vocabulary of 151,936 ids it is about 8 ms a token, 3 ms with
 * `logprobs: false`, and with `topK: 20` less than 1 ms.
 *
 * Accuracy: the probability of the drawn id comes from llama.cpp, which sums 32-bit weights. With `topK` up to some hundred, and at
 * the model's own distribution, its logarithm is good to 1e-4. Over 151,936 candidates that are nearly equal the sum drifts: 2e-4 for
 * random weights, 8e-3 at temperature 2.5 for a model most of whose rows are unused. Set `topK` where that matters.
 */
export interface SamplingOptions {
  /** 0 (take the likeliest id), or at least 0.000001. Default 1. */
  readonly temperature?: number;
  /** Keep the k likeliest ids; 0 (default) keeps all. */
  readonly topK?: number;
  /** Keep the likeliest ids that together reach this probability; above 0, to 1 (default: all). */
  readonly topP?: number;
  /** Keep the ids at least this fraction as likely as the likeliest; 0 (default: all) to 1. */
  readonly minP?: number;
  /** Divides a positive logit, multiplies a negative one, of every id in the penalty window; above 0. Default 1 (off). */
  readonly repeatPenalty?: number;
  /** Subtracted from an id's logit for each of its occurrences in the penalty window. Default 0 (off). */
  readonly frequencyPenalty?: number;
  /** Subtracted once from the logit of every id in the penalty window. Default 0 (off). */
  readonly presencePenalty?: number;
  /** How many of the last ids, prompt and completion together, the three penalties look at; at least 1. Default 64. */
  readonly penaltyWindow?: number;
  /**
   * Added to the logits of these ids, in nats; `-Infinity` bans an id. Keys are ids.
   * The model's end ids are refused: node-llama-cpp ignores a bias on them.
   */
  readonly logitBias?: ReadonlyMap<number, number> | Readonly<Record<number, number>>;
  readonly dry?: DryOptions;
  readonly xtc?: XtcOptions;
  /** 0 to 4,294,967,294. Default: drawn at random and told in the result. */
  readonly seed?: number;
}

export interface SampleOptions extends SamplingOptions {
  /**
   * Holds the completion to a grammar: from its first id on, or with `lazy` from a trigger on; `"json"`: to any JSON value. What
   * `layoutGrammar` gives fits as it is.
   *
   * The end ids of the model, and stop ids, are possible where the grammar may end, and where nothing can follow they are all that
   * is possible. A stop id that is text of the grammar ends sampling only where the grammar may end before or after it.
   * `finish` is then `"stop"`; or `"grammar_end"`, when the model drew an end id that is none of `stop` (with `stop: []` always).
   *
   * A token's text is what counts, of control tokens as well (`<|im_start|>` is text in a JSON string); `<[123]>` in a grammar is
   * the token alone; `!<[123]>`, which llama.cpp misreads, is refused, and so is `dry` beside a grammar. Every call starts the
   * grammar anew.
   */
  readonly grammar?: GrammarOptions | "json" | null;
  /**
   * What is left out, and when. False (default): an id is drawn as if there were no grammar, and drawn again among the allowed ones
   * if the grammar refuses it, which looks at the whole vocabulary only then. True: ids that the grammar refuses are left out before
   * every other step, so that `topK: 20` counts allowed ids only. Without `topK`, `topP`, `minP` and `xtc` both draw from the same
   * distribution. `xtc` beside a grammar needs true.
   */
  readonly grammarFirst?: boolean;
  /** The parts of a completion: markers of calls and reasoning, and with them a grammar and where the likeliest id is taken. */
  readonly segments?: SegmentPolicy | null;
  /**
   * How many ids of reasoning there may be: then its end marker is put in. They count from the start marker on, or from the first
   * id where the prompt left reasoning open; needs `segments`, and does nothing where these have no reasoning. Default: no limit.
   */
  readonly reasoningBudget?: number;
  /** False: `logprobs` are not computed and NaN, which saves the second evaluation that a grammar costs. Default true. */
  readonly logprobs?: boolean;
  /** How many ids to sample at most. Default: until a stop id or the end of the context. */
  readonly maxTokens?: number;
  /** Sampling ends after one of these ids. Default: the model's `eogIds`. `[]`: never. */
  readonly stop?: Ids;
  /**
   * Also compute log-probabilities in the model's own distribution. Where that is the sampling distribution (no option set) they are
   * the same numbers; at a bare `temperature: 0` they cost a sort of the vocabulary; otherwise the sampled ids are evaluated a second
   * time, see `Session.score`.
   */
  readonly rawLogprobs?: boolean;
  /** Also list this many of the likeliest ids of the model's own distribution; costs a second evaluation. Default 0. */
  readonly topLogprobs?: number;
  /** Ends sampling with `finish: "aborted"`; the session stays usable. */
  readonly signal?: AbortSignal;
}

/** Options with every default filled in. @internal */
export interface SamplePlan {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly repeatPenalty: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly penaltyWindow: number;
  readonly logitBias: ReadonlyMap<number, number>;
  readonly dry: Required<DryOptions> | undefined;
  readonly xtc: XtcOptions | undefined;
  readonly seed: number;
  readonly grammar: PlannedGrammar | undefined;
  readonly grammarFirst: boolean;
  readonly segments: SegmentPolicy | undefined;
  readonly reasoningBudget: number;
  readonly logprobs: boolean;
  readonly maxTokens: number;
  readonly stop: ReadonlySet<number>;
  readonly rawLogprobs: boolean;
  readonly topLogprobs: number;
  readonly signal: AbortSignal | undefined;
}

interface Limits {
  readonly vocabSize: number;
  readonly eogIds: readonly number[];
}

interface Rule {
  readonly fallback: number;
  readonly test: (value: number) => boolean;
  readonly allowed: string;
}

// llama.cpp reads the largest 32-bit value as "draw a random seed".
const largestSeed = 0xffffffff - 1;

const whole = (least: number) => (value: number) => Number.isSafeInteger(value) && value >= least;
const within = (low: number, high: number) => (value: number) => value >= low && value <= high;

const rules: Readonly<Record<string, Rule>> = {
  temperature: { fallback: 1, test: (v) => v === 0 || v >= 1e-6, allowed: "0 (greedy) or at least 0.000001" },
  topK: { fallback: 0, test: whole(0), allowed: "a whole number from 0 (off)" },
  topP: { fallback: 1, test: (v) => v > 0 && v <= 1, allowed: "above 0 and at most 1 (off)" },
  minP: { fallback: 0, test: within(0, 1), allowed: "0 (off) to 1" },
  repeatPenalty: { fallback: 1, test: (v) => v > 0, allowed: "above 0; 1 is off" },
  frequencyPenalty: { fallback: 0, test: () => true, allowed: "a finite number; 0 is off" },
  presencePenalty: { fallback: 0, test: () => true, allowed: "a finite number; 0 is off" },
  penaltyWindow: { fallback: 64, test: whole(1), allowed: "a whole number from 1" },
  seed: {
    fallback: 0,
    test: (v) => whole(0)(v) && v <= largestSeed,
    allowed: `a whole number from 0 to ${largestSeed}`,
  },
  maxTokens: { fallback: Number.POSITIVE_INFINITY, test: whole(1), allowed: "a whole number from 1" },
  reasoningBudget: { fallback: Number.POSITIVE_INFINITY, test: whole(0), allowed: "a whole number from 0" },
  topLogprobs: { fallback: 0, test: whole(0), allowed: "a whole number from 0 (off)" },
};

const dryRules: Readonly<Record<string, Rule>> = {
  strength: { fallback: 0, test: (v) => v >= 0, allowed: "at least 0 (off)" },
  base: { fallback: 1.75, test: (v) => v >= 1, allowed: "at least 1" },
  allowedLength: { fallback: 2, test: whole(1), allowed: "a whole number from 1" },
  window: { fallback: Number.POSITIVE_INFINITY, test: whole(1), allowed: "a whole number from 1" },
};

const xtcRules: Readonly<Record<string, Rule>> = {
  probability: { fallback: 0, test: within(0, 1), allowed: "0 (off) to 1" },
  threshold: {
    fallback: Number.NaN,
    test: within(0, 0.5),
    allowed: "0 to 0.5 (llama.cpp switches XTC off above that)",
  },
};

const switches = ["grammarFirst", "logprobs", "rawLogprobs"] as const;
const otherKeys = ["logitBias", "dry", "xtc", "grammar", "segments", "stop", "signal", ...switches];

/**
 * Checks sampling options and fills in the defaults.
 * @throws TitoError `sampler_option` naming the option; `token_out_of_range` for a stop or bias id that is no id of the model; for the
 * grammar's text as `parseGbnf`.
 * @internal
 */
export function planSampling(options: SampleOptions, limits: Limits): SamplePlan {
  refuseUnknown(options, [...Object.keys(rules), ...otherKeys], "");
  const number = (key: keyof SampleOptions & string) => readNumber(options as Fields, key, rules[key]!, key);
  for (const key of ["repeatPenalty", "frequencyPenalty", "presencePenalty"] as const) number(key);
  const topLogprobs = number("topLogprobs");
  if (topLogprobs > limits.vocabSize)
    refuse("topLogprobs", topLogprobs, `at most the vocabulary's size, ${limits.vocabSize}`);
  for (const key of switches) {
    const value = options[key];
    if (value !== undefined && typeof value !== "boolean") refuse(key, value, "true or false");
  }
  const segments = options.segments ?? undefined;
  if (segments !== undefined) checkSegmentPolicy(segments);
  if (options.grammar && segments?.grammar)
    refuse("grammar", options.grammar, "left out beside segments that have a grammar: there can be one");
  if (options.reasoningBudget !== undefined && segments === undefined)
    refuse(
      "reasoningBudget",
      options.reasoningBudget,
      "left out without segments, which say where reasoning begins and ends",
    );
  if (options.signal !== undefined && typeof options.signal?.aborted !== "boolean")
    refuse("signal", options.signal, "an AbortSignal");
  const plan: SamplePlan = {
    temperature: number("temperature"),
    topK: Math.min(number("topK"), limits.vocabSize),
    topP: number("topP"),
    minP: number("minP"),
    repeatPenalty: number("repeatPenalty"),
    frequencyPenalty: number("frequencyPenalty"),
    presencePenalty: number("presencePenalty"),
    penaltyWindow: number("penaltyWindow"),
    logitBias: readBias(options.logitBias, limits),
    dry: readDry(options.dry),
    xtc: readXtc(options.xtc),
    seed: options.seed === undefined ? randomInt(largestSeed) : number("seed"),
    grammar: readGrammar(options.grammar ?? segments?.grammar),
    grammarFirst: options.grammarFirst ?? false,
    segments,
    reasoningBudget: number("reasoningBudget"),
    logprobs: options.logprobs ?? true,
    maxTokens: number("maxTokens"),
    stop: options.stop === undefined ? new Set(limits.eogIds) : checkIdSet(options.stop, limits.vocabSize),
    rawLogprobs: options.rawLogprobs ?? false,
    topLogprobs,
    signal: options.signal,
  };
  if (plan.grammar !== undefined) refuseBesideGrammar(plan);
  if (plan.dry !== undefined && (segments?.greedy ?? "off") !== "off")
    refuse("dry", options.dry, "left out where segments take the likeliest ids: its memory would be of half the ids");
  return plan;
}

type Fields = Readonly<Record<string, unknown>>;

function readNumber(fields: Fields, key: string, rule: Rule, name: string): number {
  const value = fields[key];
  if (value === undefined) return rule.fallback;
  if (typeof value !== "number" || !Number.isFinite(value) || !rule.test(value)) refuse(name, value, rule.allowed);
  return value as number;
}

function readDry(dry: DryOptions | undefined): SamplePlan["dry"] {
  if (dry === undefined) return undefined;
  if (typeof dry !== "object" || dry === null) refuse("dry", dry, "an object with a strength");
  refuseUnknown(dry, [...Object.keys(dryRules), "sequenceBreakers"], "dry.");
  const number = (key: string) => readNumber(dry as unknown as Fields, key, dryRules[key]!, `dry.${key}`);
  if (dry.strength === undefined) refuse("dry.strength", undefined, "given: at least 0 (off)");
  const sequenceBreakers = dry.sequenceBreakers ?? ["\n", ":", '"', "*"];
  if (!Array.isArray(sequenceBreakers) || !sequenceBreakers.every((text) => typeof text === "string" && text !== ""))
    refuse("dry.sequenceBreakers", sequenceBreakers, "a list of texts");
  const read = {
    strength: number("strength"),
    base: number("base"),
    allowedLength: number("allowedLength"),
    window: number("window"),
    sequenceBreakers,
  };
  return read.strength === 0 ? undefined : read;
}

function readXtc(xtc: XtcOptions | undefined): XtcOptions | undefined {
  if (xtc === undefined) return undefined;
  if (typeof xtc !== "object" || xtc === null) refuse("xtc", xtc, "an object with a probability and a threshold");
  refuseUnknown(xtc, Object.keys(xtcRules), "xtc.");
  for (const key of ["probability", "threshold"] as const)
    if (xtc[key] === undefined) refuse(`xtc.${key}`, undefined, `given: ${xtcRules[key]!.allowed}`);
  const number = (key: string) => readNumber(xtc as unknown as Fields, key, xtcRules[key]!, `xtc.${key}`);
  const read = { probability: number("probability"), threshold: number("threshold") };
  return read.probability === 0 ? undefined : read;
}

function readBias(bias: SampleOptions["logitBias"], limits: Limits): ReadonlyMap<number, number> {
  if (bias === undefined) return new Map();
  if (typeof bias !== "object" || bias === null) refuse("logitBias", bias, "a Map or an object from ids to numbers");
  const entries = bias instanceof Map ? [...bias] : Object.entries(bias).map(([id, value]) => [Number(id), value]);
  const eog = new Set(limits.eogIds);
  const read = new Map<number, number>();
  for (const [id, value] of entries as [number, number][]) {
    const name = `logitBias[${id}]`;
    checkIdSet([id], limits.vocabSize, "logitBias");
    if (eog.has(id)) {
      const message = `${name}: ${id} is an end-of-generation id, and node-llama-cpp ignores a bias on those. Leave it out, and use stop: [] to sample past an end id.`;
      throw new TitoError("sampler_option", message, { details: { option: "logitBias", id } });
    }
    if (typeof value !== "number" || Number.isNaN(value) || Math.fround(value) === Number.POSITIVE_INFINITY)
      refuse(name, value, "a number, or -Infinity to ban the id");
    read.set(id, value);
  }
  return read;
}
