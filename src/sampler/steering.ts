import type { LlamaGrammarEvaluationState } from "node-llama-cpp";
import type { GbnfMatcher } from "../gbnf/index.ts";
import { Utf8Stream } from "../tokens/index.ts";
import { bansOf, lift } from "./bias.ts";
import { soleAllowed, type TriggerSearch, triggerSearch, type VocabularyTrie } from "./grammar/index.ts";
import type { Grammars } from "./grammars.ts";
import type { GrammarStep, HeldGrammar, NativeGrammar } from "./heldGrammar.ts";
import { type PayloadTracker, payloadTracker } from "./policy/payloadTracker.ts";
import type { HeldSegments } from "./segments/heldSegments.ts";
import { type MarkerScan, markerScan } from "./segments/markerScan.ts";
import { segmenter } from "./segments/segmenter.ts";
import type { GrammarOutcome } from "./types.ts";

/** Which of the two native samplers draws: the request's own, or one that takes the likeliest id. */
export type Chain = "own" | "greedy";

/** What a completion is held to, made fit for a model. */
export interface SteeringPlan {
  readonly stop: ReadonlySet<number>;
  readonly eogIds: readonly number[];
  readonly bytesOf: (id: number) => Uint8Array;
  readonly trie: () => VocabularyTrie;
  readonly grammar: HeldGrammar | undefined;
  /** Ids that the user bans. llama.cpp draws them when a grammar leaves nothing else. */
  readonly banned: ReadonlySet<number>;
  readonly segments: HeldSegments | undefined;
  /** How many ids of reasoning there may be. */
  readonly reasoningBudget: number;
}

/** What the next id is held to, kept for scoring it. */
export interface GrammarPlace {
  readonly matcher: GbnfMatcher;
  readonly bias: Iterable<readonly [id: number, logit: number]>;
  /** What the grammar refuses was left out before every other step. */
  readonly isMasked: boolean;
}

/**
 * Follows a completion id by id, and says how the next id is drawn: in which state the grammar is, which chain draws, and which
 * ids are put in without being drawn. It knows no native call but that grammars' states are made by `start`.
 */
export class Steering {
  readonly #plan: SteeringPlan;
  readonly #start: Grammars["start"];
  readonly #search: TriggerSearch | undefined;
  readonly #segmenter;
  #matcher: GbnfMatcher | undefined;
  #state: LlamaGrammarEvaluationState | undefined;
  /** What the state is to be made of, before the next draw. */
  #wanted: NativeGrammar | undefined;
  /** Awake at a place for which llama.cpp is given no grammar: a bias alone holds the next id. */
  #isMasked = false;
  #hasWoken = false;
  #tracker: PayloadTracker | undefined;
  #payloadScan: { readonly from: MarkerScan; readonly to: MarkerScan; inside: boolean } | undefined;
  #reasoned = 0;
  readonly #reasoningText = new Utf8Stream();
  #refusedTriggers = 0;

  constructor(plan: SteeringPlan, start: Grammars["start"]) {
    this.#plan = plan;
    this.#start = start;
    const { grammar, segments } = plan;
    if (grammar !== undefined && grammar.lazy === null) {
      this.#matcher = grammar.begin();
      this.#want(grammar.beginning());
      this.#hasWoken = true;
    }
    if (grammar?.lazy) this.#search = triggerSearch({ ...grammar.lazy.triggers, bytesOf: plan.bytesOf });
    this.#segmenter = segmenter(segments?.markers ?? {}, { opened: segments?.opened ?? false });
  }

  /** Where the grammar is, before the next id; undefined while it sleeps. Not to be changed. */
  get matcher(): GbnfMatcher | undefined {
    return this.#matcher;
  }

  /** For the native sampler; undefined while the grammar sleeps. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#state;
  }

  get chain(): Chain {
    return this.#isGreedy() ? "greedy" : "own";
  }

  /** What is added to the logits of ids so that what the grammar refuses is not drawn, besides what llama.cpp does by `state`. */
  get bias(): Iterable<readonly [id: number, logit: number]> {
    const matcher = this.#matcher;
    if (matcher === undefined) return [];
    const { bans, banned, allowed } = this.#plan.grammar!;
    if (!this.#isMasked) return bansOf(bans(matcher));
    // No bias reaches the model's end ids: all others are lifted above them, or stay with them.
    return matcher.isComplete() ? bansOf(banned(matcher)) : Array.from(allowed(matcher), (id) => [id, lift] as const);
  }

  /** The grammar allows a single id, and may not end. */
  get isForced(): boolean {
    const matcher = this.#matcher;
    return matcher !== undefined && !matcher.isComplete() && soleAllowed(matcher, this.#plan.trie()) !== undefined;
  }

  /** Where the grammar is, to be looked at later. */
  snapshot(): GrammarPlace | undefined {
    const matcher = this.#matcher;
    if (matcher === undefined) return undefined;
    const isMasked = this.#isMasked;
    return { matcher: matcher.clone(), bias: isMasked ? [] : this.bias, isMasked };
  }

  /** What the grammar came to. */
  get summary(): { readonly grammar?: GrammarOutcome; readonly refusedTriggers?: number } {
    const { grammar } = this.#plan;
    if (grammar === undefined) return {};
    const matcher = this.#matcher;
    const asleep = this.#hasWoken ? "complete" : "dormant";
    const awake = matcher?.isComplete() ? "complete" : "grammar_incomplete";
    return {
      grammar: matcher === undefined ? asleep : awake,
      ...(grammar.lazy && { refusedTriggers: this.#refusedTriggers }),
    };
  }

  /** Makes the native state that the next draw needs. To be awaited before every draw. */
  get ready(): Promise<void> | undefined {
    return this.#wanted === undefined ? undefined : this.#begin(this.#wanted);
  }

  async #begin(wanted: NativeGrammar): Promise<void> {
    this.#state = await this.#start(wanted);
    this.#wanted = undefined;
  }

  #want(native: NativeGrammar | null): void {
    this.#isMasked = native === null;
    this.#state = undefined;
    this.#wanted = native ?? undefined;
  }

  /**
   * Ids that are put in now: the end of reasoning whose budget is used up. A character that is incomplete is waited for, and so is
   * a grammar that does not take them.
   */
  get insertion(): readonly number[] {
    const { reasoningBudget, segments, bytesOf } = this.#plan;
    const { segment, waiting } = this.#segmenter;
    if (segment !== "reasoning" || this.#reasoned - waiting.length < reasoningBudget) return [];
    if (this.#reasoningText.pending.length > 0) return [];
    const ids = segments!.markers.reasoning!.end.slice(waiting.length);
    const trial = this.#matcher?.clone();
    return trial === undefined || ids.every((id) => trial.acceptToken(id, bytesOf(id))) ? ids : [];
  }

  /** Takes ids that are put in without being drawn, those of `insertion`. The native state, which did not see them, is made anew. */
  insert(ids: readonly number[]): void {
    for (const id of ids) this.take(id);
    if (this.#matcher !== undefined) this.#want(this.#plan.grammar!.following(this.#matcher));
  }

  /** Takes the id that was drawn. */
  take(id: number): GrammarStep {
    const { segment } = this.#segmenter;
    const step = this.#takeByGrammar(id, segment === "reasoning");
    this.#takeBySegments(id);
    return step;
  }

  #takeByGrammar(id: number, reasoning: boolean): GrammarStep {
    const { stop, eogIds, grammar, bytesOf } = this.#plan;
    const isStop = stop.has(id);
    const matcher = this.#matcher;
    if (matcher === undefined) {
      if (isStop) return "stop";
      if (grammar?.lazy && !(reasoning && grammar.lazy.wakes === "outside_reasoning")) this.#listen(id);
      return "on";
    }
    if (eogIds.includes(id)) return isStop ? "stop" : "end";
    if (this.#plan.banned.has(id)) return "refused";
    const wasComplete = matcher.isComplete();
    const isText = matcher.acceptToken(id, bytesOf(id));
    if (isStop && (wasComplete || !isText || matcher.isComplete())) return "stop";
    if (!isText) return "refused";
    if (!this.#fallAsleepIfDone() && this.#isMasked) this.#want(grammar!.following(matcher));
    return "on";
  }

  /** Looks for a trigger, and wakes the grammar behind it. */
  #listen(id: number): void {
    const hit = this.#search!.push(id);
    if (hit === undefined) return;
    const grammar = this.#plan.grammar!;
    const matcher = grammar.begin();
    const isTaken = hit.fed.every((piece) =>
      piece.id === undefined ? matcher.accept(piece.bytes) : matcher.acceptToken(piece.id, piece.bytes),
    );
    if (!isTaken) {
      this.#refusedTriggers++;
      return;
    }
    this.#hasWoken = true;
    this.#matcher = matcher;
    if (!this.#fallAsleepIfDone()) this.#want(grammar.following(matcher));
  }

  #fallAsleepIfDone(): boolean {
    const lazy = this.#plan.grammar!.lazy;
    const matcher = this.#matcher!;
    if (lazy === null || !matcher.isComplete()) return false;
    if (lazy.sleeps === "end" && matcher.canContinue()) return false;
    this.#matcher = undefined;
    this.#state = undefined;
    this.#wanted = undefined;
    this.#isMasked = false;
    this.#search!.reset();
    return true;
  }

  #takeBySegments(id: number): void {
    const { segments, bytesOf } = this.#plan;
    if (segments === undefined) return;
    const before = this.#segmenter.segment;
    this.#segmenter.push(id);
    const { segment } = this.#segmenter;
    if (before === "reasoning" && segment === "reasoning") {
      this.#reasoned++;
      this.#reasoningText.push(bytesOf(id));
    }
    if (before === "reasoning" && segment !== "reasoning") {
      this.#reasoningText.end();
      this.#search?.reset({ atStart: true });
    }
    if (segment !== "toolCall") this.#endCall();
    else if (before === "toolCall") this.#insideCall(id);
    else this.#beginCall();
  }

  #beginCall(): void {
    const { payload, payloadMarkers } = this.#plan.segments!;
    if (payloadMarkers !== undefined) {
      const scan = (name: string, ids: readonly number[]) => markerScan([{ name, ids }]);
      this.#payloadScan = {
        from: scan("payloadStart", payloadMarkers.start),
        to: scan("payloadEnd", payloadMarkers.end),
        inside: false,
      };
    } else if (payload !== undefined) this.#tracker = payloadTracker(payload);
  }

  #insideCall(id: number): void {
    this.#tracker?.push(this.#plan.bytesOf(id));
    const scan = this.#payloadScan;
    if (scan === undefined) return;
    const { from, to } = scan;
    if ((scan.inside ? to : from).push(id) === undefined) return;
    scan.inside = !scan.inside;
    (scan.inside ? to : from).reset();
  }

  #endCall(): void {
    this.#tracker = undefined;
    this.#payloadScan = undefined;
  }

  #isGreedy(): boolean {
    const scope = this.#plan.segments?.greedy ?? "off";
    if (scope === "off" || this.#segmenter.segment !== "toolCall") return false;
    if (scope === "span") return true;
    return !(this.#payloadScan?.inside ?? this.#tracker?.inPayload ?? false);
  }
}
