import { boundedCache } from "../boundedCache.ts";
import { TitoError } from "../errors.ts";
import { type Gbnf, parseGbnf } from "../gbnf/index.ts";
import type { SamplePlan } from "./options.ts";
import { refuse, refuseUnknown } from "./refuse.ts";

/**
 * A grammar that a completion is held to. What `layoutGrammar` gives fits as it is; of what `applyTemplate` gives, it is
 * `{ gbnf: applied.grammar, lazy: applied.lazy, preservedTokens: applied.preservedTokens }`.
 */
export interface GrammarOptions {
  /** GBNF, see `parseGbnf`; null: nothing is held. `<name>` is the token with this text. */
  readonly gbnf: string | null;
  /** The rule to start from. Default `"root"`. */
  readonly root?: string;
  /** A grammar that holds only from a trigger on is refused: it must be false, the default. */
  readonly lazy?: boolean;
  /**
   * Markers. Where a text of the grammar (`"\n</tool_call>"`) has one that is a token of the model, that token alone is meant, and
   * not its characters one after the other, which a parser of ids reads as text. Without them every spelling goes. What the
   * model's end ids write stays text, and so does what classes match.
   */
  readonly preservedTokens?: readonly string[];
  /** Not looked at: they belong to a lazy grammar. */
  readonly triggers?: unknown;
}

/** @internal */
export interface PlannedGrammar {
  readonly gbnf: Gbnf;
  readonly root: string;
  readonly preservedTokens: readonly string[];
}

const keys = ["gbnf", "root", "lazy", "triggers", "preservedTokens"];

/** A rollout asks for the same grammar again and again. */
const parsed = boundedCache<PlannedGrammar>(16);

/** @throws TitoError `sampler_option`; as `parseGbnf`. @internal */
export function readGrammar(grammar: GrammarOptions | null | undefined): PlannedGrammar | undefined {
  if (grammar === undefined || grammar === null) return undefined;
  if (typeof grammar !== "object") refuse("grammar", grammar, "an object: { gbnf, root, lazy }");
  refuseUnknown(grammar, keys, "grammar.");
  const { gbnf, root = "root", lazy = false, preservedTokens = [] } = grammar;
  if (gbnf !== null && typeof gbnf !== "string") refuse("grammar.gbnf", gbnf, "GBNF, or null for no grammar");
  if (typeof root !== "string") refuse("grammar.root", root, "a rule's name");
  if (typeof lazy !== "boolean") refuse("grammar.lazy", lazy, "false");
  if (!Array.isArray(preservedTokens) || !preservedTokens.every((text) => typeof text === "string" && text !== ""))
    refuse("grammar.preservedTokens", preservedTokens, "a list of texts");
  if (gbnf === null) return undefined;
  if (lazy)
    throw new TitoError(
      "sampler_option",
      "grammar.lazy: the native sampler has no grammars that wait for a trigger. Sample without the grammar, or require a call: " +
        'toolChoice: "required" makes a grammar that holds from the start.',
      { details: { option: "grammar.lazy" } },
    );
  return parsed(JSON.stringify([gbnf, root, preservedTokens]), () => ({
    gbnf: parseGbnf(gbnf, { root }),
    root,
    preservedTokens: [...preservedTokens],
  }));
}

/**
 * A grammar must leave at least one id with a finite logit: with none, llama.cpp draws an id that the grammar refuses, and
 * node-llama-cpp ends the process. So what could drown every allowed id has limits. @internal
 */
export function refuseBesideGrammar({ dry, xtc, frequencyPenalty, presencePenalty, repeatPenalty }: SamplePlan): void {
  if (dry !== undefined)
    throw new TitoError(
      "sampler_option",
      "dry: its penalty grows without a limit on a repeat that the grammar asks for. Leave dry out, or the grammar.",
      { details: { option: "dry" } },
    );
  if (xtc !== undefined && xtc.threshold < 1e-6)
    refuse("xtc.threshold", xtc.threshold, "at least 0.000001 with a grammar");
  for (const [name, value] of Object.entries({ frequencyPenalty, presencePenalty }))
    if (Math.abs(value) > 1e6) refuse(name, value, "from -1000000 to 1000000 with a grammar");
  if (repeatPenalty < 1e-3 || repeatPenalty > 1e3)
    refuse("repeatPenalty", repeatPenalty, "0.001 to 1000 with a grammar");
}
