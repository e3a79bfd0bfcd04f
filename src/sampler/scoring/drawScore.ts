import type { TokenBias } from "node-llama-cpp";
import { bannedLogit, lift } from "../bias.ts";
import { type ChainModel, keepsAll, nativeBias, nativePenalties, nativeTopK } from "../chain.ts";
import { allowedIds, hasId, type IdSet, idsOf, type VocabularyTrie } from "../grammar/index.ts";
import type { SamplePlan } from "../options.ts";
import type { DrawnToken } from "../sequence.ts";
import { type Candidate, filtered } from "./filters.ts";
import { likeliest, type Question, question } from "./question.ts";

/** What scoring needs of a model and a completion. */
export interface DrawScoring extends ChainModel {
  readonly plan: SamplePlan;
  readonly trie: () => VocabularyTrie;
  readonly vocabSize: number;
  readonly eogIds: readonly number[];
  /** Ids that are possible where the grammar may end. */
  readonly ends: readonly number[];
}

/** So many ids can be asked for by name. */
const few = 48;

/**
 * Asks for the log-probability with which an id was drawn, behind what `history` ends with (the penalty window at least), by check-then-resample. With p the chain's distribution,
 * Z what of it the grammar allows, and q the chain's over what is allowed, it is p(id) + (1 − Z) q(id); and that is q(id) where the
 * chain keeps all ids. Undefined: it needs no question, and is 0.
 */
export function drawScore(
  scoring: DrawScoring,
  { id, how, isForced, held }: DrawnToken,
  history: () => readonly number[],
): Question<number> | undefined {
  if (how !== "drawn" || isForced) return undefined;
  const place = placeOf(scoring, history, held);
  const all = keepsAll(scoring.plan, scoring.vocabSize);
  if (place.allowed === undefined) return all ? freeScore(place, id) : cutScore(place, id);
  return all ? heldScore(place, id) : heldCutScore(place, id);
}

interface Place {
  readonly scoring: DrawScoring;
  readonly allowed: Allowed | undefined;
  /** What the grammar refuses was left out before every other step: no draw was checked. */
  readonly isMasked: boolean;
  /** The chain's first steps; with another bias than the draw's where one is given. */
  readonly options: (parting?: Parting) => Parameters<typeof question>[0]["options"];
}

interface Allowed {
  /** Those that go on with the grammar. */
  readonly ids: IdSet;
  /** Those that may end it here. */
  readonly ends: readonly number[];
  /** Those of them that no bias reaches. */
  readonly eog: readonly number[];
  readonly count: number;
}

function placeOf(scoring: DrawScoring, history: () => readonly number[], held: DrawnToken["held"]): Place {
  const { plan, model, allIds, eogIds, ends, trie } = scoring;
  const allowed = held && allowedAt(held);
  const repeatPenalty = nativePenalties(plan, model, history);
  return {
    scoring,
    allowed,
    isMasked: held?.isMasked ?? false,
    options(parting) {
      const tokenBias = parting ? parting.tokenBias : nativeBias(plan, scoring, held?.bias);
      return {
        ...{ temperature: 0, topK: nativeTopK(0, allIds), topP: 1, minP: 0 },
        ...(repeatPenalty && { repeatPenalty }),
        ...(tokenBias && { tokenBias }),
      };
    },
  };

  function allowedAt({ matcher, bias }: NonNullable<DrawnToken["held"]>): Allowed {
    const ids = without(allowedIds(matcher, trie()), bias);
    const here = matcher.isComplete() ? ends.filter((id) => !hasId(ids, id)) : [];
    return { ids, ends: here, eog: here.filter((id) => eogIds.includes(id)), count: ids.count + here.length };
  }
}

/** What is left of ids that a bias bans. */
function without(ids: IdSet, bias: Iterable<readonly [number, number]>): IdSet {
  let words: Uint32Array | undefined;
  let count = ids.count;
  for (const [id, logit] of bias) {
    if (logit > bannedLogit || !hasId(ids, id)) continue;
    words ??= ids.words.slice();
    words[id >>> 5]! &= ~(1 << (id & 31));
    count--;
  }
  return words === undefined ? ids : { kind: "ids", words, count };
}

const isAllowed = ({ ids, ends }: Allowed, id: number): boolean => hasId(ids, id) || ends.includes(id);

const allAllowed = ({ ids, ends }: Allowed): number[] => [...idsOf(ids), ...ends];

/** At temperature 1 the greedy chain's total is the one wanted, and nothing needs to be sorted. */
function freeScore({ scoring: { plan }, options }: Place, id: number): Question<number> {
  const temperature = plan.temperature === 1 ? 0 : plan.temperature;
  const top = temperature === 0 ? 0 : 1;
  const asked = { tokens: [id], top, options: { ...options(), temperature } };
  return question<number>(asked, ({ logits, logTotal }) => logits.get(id)! - logTotal);
}

/**
 * The chain itself, whose total is over what it kept.
 *
 * With F16 and F32 weights the logits depend a little on how many ids are evaluated at once, so that an id at the filters' edge can
 * be drawn and not be kept when it is scored. Then it counts as the last one kept.
 */
function cutScore({ scoring, options }: Place, id: number): Question<number> {
  const { temperature, topP, minP, topK } = scoring.plan;
  const chain = { ...options(), temperature, topP, minP, topK: nativeTopK(topK, scoring.allIds) };
  return question<number>({ tokens: [id], top: 1, options: chain }, ({ logits, logTotal }) => {
    const own = logits.get(id);
    if (own !== undefined) return own - logTotal;
    return question<number>({ tokens: [id], top: 0, options: options() }, (told) => {
      const edge = told.logits.get(id)! / temperature;
      return edge - logSum([edge, logTotal]);
    });
  });
}

function heldScore(place: Place, id: number): Question<number> {
  const { scoring, options } = place;
  const allowed = place.allowed!;
  const { temperature } = scoring.plan;
  if (allowed.count <= few) {
    const tokens = allAllowed(allowed);
    return question<number>({ tokens, top: 0, options: options() }, ({ logits }) => {
      const scaled = tokens.map((token) => logits.get(token)! / temperature);
      return logits.get(id)! / temperature - logSum(scaled);
    });
  }
  const parting = partingOf(place);
  const native = { ...options(parting), temperature: temperature === 1 ? 0 : temperature };
  const tokens = [id, ...scoring.eogIds];
  return question<number>({ tokens, top: temperature === 1 ? 0 : 1, options: native }, ({ logits, logTotal }) => {
    const eog = scoring.eogIds.map((one) => logits.get(one)!);
    const share = Math.exp(logSum(eog) - logTotal);
    // What the bias cannot reach weighs too much to be subtracted from a 32-bit sum.
    if (share > 0.5) return listedScore(place, id);
    // The bias is added before the temperature divides.
    const shifted = parting.shift / temperature;
    const others = logTotal + Math.log1p(-share) - shifted;
    const ends = allowed.eog.map((one) => logits.get(one)!);
    const own = logits.get(id)! - (allowed.eog.includes(id) ? 0 : shifted);
    return own - logSum([others, ...ends]);
  });
}

/** Sums over a list of everything. */
function listedScore({ scoring, options, allowed }: Place, id: number): Question<number> {
  const { temperature } = scoring.plan;
  return question<number>({ tokens: [], top: scoring.vocabSize, options: options() }, ({ logits }) => {
    const scaled: number[] = [];
    for (const [one, logit] of logits) if (isAllowed(allowed!, one)) scaled.push(logit / temperature);
    return logits.get(id)! / temperature - logSum(scaled);
  });
}

/** A bias that parts what is allowed from what is not, on the fewer of both; `shift`: what it adds to what is allowed. */
interface Parting {
  readonly shift: number;
  readonly tokenBias: TokenBias | undefined;
}

interface KnownParting {
  readonly ids: IdSet;
  readonly key: string;
  readonly parting: Parting;
}

/** Neighbouring places of a text often allow the same ids, and to list them all for node-llama-cpp takes longer than to sample. */
const partings = new WeakMap<VocabularyTrie, KnownParting[]>();
const partingsKept = 16;

function partingOf({ scoring, allowed }: Place): Parting {
  const { ids, ends } = allowed!;
  const key = JSON.stringify([ends, [...scoring.plan.logitBias], scoring.plan.grammar !== undefined]);
  const known = partings.get(scoring.trie()) ?? [];
  partings.set(scoring.trie(), known);
  const at = known.findIndex((one) => one.key === key && sameIds(one.ids, ids));
  const found = at < 0 ? { ids, key, parting: makeParting(scoring, allowed!) } : known.splice(at, 1)[0]!;
  known.unshift(found);
  known.length = Math.min(known.length, partingsKept);
  return found.parting;
}

function makeParting(scoring: DrawScoring, allowed: Allowed): Parting {
  const { plan, vocabSize } = scoring;
  const eog = new Set(scoring.eogIds);
  if (allowed.count * 2 <= vocabSize) {
    const reached = allAllowed(allowed).filter((id) => !eog.has(id));
    return {
      shift: lift,
      tokenBias: nativeBias(
        plan,
        scoring,
        reached.map((id) => [id, lift] as const),
      ),
    };
  }
  const refused: [number, number][] = [];
  for (let id = 0; id < vocabSize; id++) if (!isAllowed(allowed, id) && !eog.has(id)) refused.push([id, bannedLogit]);
  return { shift: 0, tokenBias: nativeBias(plan, scoring, refused) };
}

const sameIds = (one: IdSet, other: IdSet): boolean =>
  one === other || (one.count === other.count && one.words.every((word, i) => word === other.words[i]));

/** So much of what is left of a probability does not change its logarithm's fifth digit. */
const negligible = 1e-5;

/** First p and Z, of the candidates that the chain keeps; then q, where it counts. */
function heldCutScore(place: Place, id: number): Question<number> {
  const { scoring, options } = place;
  const { plan, vocabSize } = scoring;
  const allowed = place.allowed!;
  if (place.isMasked) return restScore(place, id, 1, undefined);
  // A native top-k is cheaper than a list of as many: it sorts no others.
  const chain = { ...options(), temperature: 1, topK: nativeTopK(plan.topK, scoring.allIds) };
  const top = plan.topK > 0 ? plan.topK : vocabSize;
  return question<number>({ tokens: [], top, options: chain }, ({ logits }) => {
    const kept = filtered(likeliest(logits), plan);
    let accepted = 0;
    for (const [one, share] of kept) if (isAllowed(allowed, one)) accepted += share;
    const own = kept.get(id);
    const rest = Math.max(0, 1 - accepted);
    if (own !== undefined && rest < own * negligible) return Math.log(own);
    return restScore(place, id, rest, own);
  });
}

/** The chain over what is allowed alone: all of it where it is little, else its likeliest. */
function restScore(place: Place, id: number, rest: number, own: number | undefined): Question<number> {
  const { scoring, options } = place;
  const allowed = place.allowed!;
  const { plan, eogIds, vocabSize } = scoring;
  const isFew = allowed.count <= few;
  const parting = isFew ? undefined : partingOf(place);
  const shift = parting?.shift ?? 0;
  const top = isFew ? 0 : plan.topK > 0 ? Math.min(vocabSize, plan.topK + eogIds.length) : vocabSize;
  const tokens = isFew ? allAllowed(allowed) : [id, ...eogIds];
  return question<number>({ tokens, top, options: options(parting) }, ({ logits }) => {
    const candidates: Candidate[] = [];
    for (const [one, logit] of logits)
      if (isAllowed(allowed, one)) candidates.push([one, logit - (allowed.eog.includes(one) ? 0 : shift)]);
    candidates.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    // An id at the filters' edge, as in `cutScore`: the last one kept.
    const edge = own === undefined ? candidates.find(([one]) => one === id) : undefined;
    const share = filtered(candidates, plan, edge).get(id) ?? 0;
    return Math.log((own ?? 0) + Math.max(rest, own === undefined ? negligible : 0) * share);
  });
}

function logSum(logs: readonly number[]): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const log of logs) highest = Math.max(highest, log);
  if (highest === Number.NEGATIVE_INFINITY) return highest;
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - highest);
  return highest + Math.log(sum);
}
