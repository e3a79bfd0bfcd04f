import { boundedCache } from "../boundedCache.ts";
import { TitoError } from "../errors.ts";
import { type Gbnf, parseGbnf } from "../gbnf/index.ts";
import type { SamplePlan } from "./options.ts";
import { refuse, refuseUnknown } from "./refuse.ts";

/**
 * What wakes a lazy grammar. A word is found in the text of what is sampled, wherever tokens begin and end; a word that is one
 * token of the model, and a token, by its id alone. `atStart`: only where content begins (behind reasoning), with nothing but
 * white space before it.
 */
export type SamplerTrigger =
  | { readonly word: string; readonly atStart?: boolean }
  /** An id, or the text of a token. */
  | { readonly token: number | string }
  /** As `layoutGrammar` and `applyTemplate` give them. A token's `text`: what of it the grammar begins with; default: all. */
  | { readonly kind: "word"; readonly text: string; readonly atStart?: boolean | undefined }
  | { readonly kind: "token"; readonly text?: string | undefined; readonly id: number };

/**
 * A grammar that a completion is held to. What `layoutGrammar` gives fits as it is; of what `applyTemplate` gives, it is
 * `{ gbnf: applied.grammar, lazy: applied.lazy, triggers: applied.triggers, preservedTokens: applied.preservedTokens }`.
 */
export interface GrammarOptions {
  /** GBNF, see `parseGbnf`; null: nothing is held. `<name>` is the token with this text. */
  readonly gbnf: string | null;
  /** The rule to start from. Default `"root"`. */
  readonly root?: string;
  /** The grammar sleeps until a trigger, whose text is the beginning of the grammar's. Default: it holds from the first id on. */
  readonly lazy?: boolean;
  /** At least one for a lazy grammar; not looked at for another. */
  readonly triggers?: readonly SamplerTrigger[];
  /**
   * When a lazy grammar falls asleep again, and waits for the next trigger: `"complete"`: as soon as its text is complete, even if
   * it could go on; `"end"` (default): when nothing can follow. Where it may end and go on, the end ids are possible until then.
   */
  readonly sleeps?: "complete" | "end";
  /**
   * Where the triggers of a lazy grammar count: `"outside_reasoning"` (default): what stands between the markers of reasoning, where
   * these are known, may be talk about a call; `"anywhere"`.
   */
  readonly wakes?: "outside_reasoning" | "anywhere";
  /**
   * Text that the prompt ends with and that a grammar which is not lazy begins with, as llama.cpp's grammars begin with the
   * generation prompt. Default `""`.
   */
  readonly prefill?: string;
  /**
   * Markers. Where a text of the grammar (`"\n</tool_call>"`) has one that is a token of the model, that token alone is meant, and
   * not its characters one after the other, which a parser of ids reads as text. Without them every spelling goes. What the
   * model's end ids write stays text, and so does what classes match. A trigger's word that is one token is one of them.
   */
  readonly preservedTokens?: readonly string[];
  /**
   * Whether control tokens and a model's added tokens pass for their text, in the middle of a string say, where a parser of ids may
   * take them for markers: `"text"` (default), or `"named"`: only where the grammar names them, by itself or by `preservedTokens`.
   */
  readonly specialTokens?: "text" | "named";
}

/** @internal */
export interface PlannedGrammar {
  readonly gbnf: Gbnf;
  readonly root: string;
  readonly preservedTokens: readonly string[];
  readonly prefill: string;
  readonly specialTokens: "text" | "named";
  /** Null: it holds from the first id on. */
  readonly lazy: PlannedLazy | null;
}

/** @internal */
export interface PlannedLazy {
  readonly triggers: readonly PlannedTrigger[];
  readonly sleeps: "complete" | "end";
  readonly wakes: "outside_reasoning" | "anywhere";
}

/** @internal */
export type PlannedTrigger =
  | { readonly kind: "word"; readonly text: string; readonly atStart: boolean }
  /** An id, or a text that must be one token; `text`: what of it the grammar begins with. */
  | { readonly kind: "token"; readonly token: number | string; readonly text: string | undefined };

const keys = ["gbnf", "root", "lazy", "triggers", "sleeps", "wakes", "prefill", "preservedTokens", "specialTokens"];

/** A rollout asks for the same grammar again and again. */
const parsed = boundedCache<PlannedGrammar>(16);

/** Any JSON value, as llama.cpp's own example grammar has it: white space within limits. */
const json = String.raw`root ::= value
value ::= object | array | string | number | ("true" | "false" | "null")
object ::= "{" ws ( string ":" ws value ws ("," ws string ":" ws value ws)* )? "}"
array ::= "[" ws ( value ws ("," ws value ws)* )? "]"
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt/] | "u" [0-9a-fA-F]{4}) )* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= [ \t\n]{0,20}`;

/** @throws TitoError `sampler_option`, `grammar_without_triggers`; as `parseGbnf`. @internal */
export function readGrammar(grammar: GrammarOptions | "json" | null | undefined): PlannedGrammar | undefined {
  if (grammar === undefined || grammar === null) return undefined;
  if (grammar === "json") return readGrammar({ gbnf: json });
  if (typeof grammar !== "object") refuse("grammar", grammar, 'an object: { gbnf, root, lazy }, or "json"');
  refuseUnknown(grammar, keys, "grammar.");
  const { gbnf, root = "root", lazy = false, preservedTokens = [], prefill = "", sleeps = "end" } = grammar;
  const { triggers = [], wakes = "outside_reasoning", specialTokens = "text" } = grammar;
  if (gbnf !== null && typeof gbnf !== "string") refuse("grammar.gbnf", gbnf, "GBNF, or null for no grammar");
  if (typeof root !== "string") refuse("grammar.root", root, "a rule's name");
  if (typeof lazy !== "boolean") refuse("grammar.lazy", lazy, "true or false");
  if (typeof prefill !== "string") refuse("grammar.prefill", prefill, "a text");
  if (sleeps !== "complete" && sleeps !== "end") refuse("grammar.sleeps", sleeps, '"complete" or "end"');
  if (wakes !== "outside_reasoning" && wakes !== "anywhere")
    refuse("grammar.wakes", wakes, '"outside_reasoning" or "anywhere"');
  if (!Array.isArray(preservedTokens) || !preservedTokens.every((text) => typeof text === "string" && text !== ""))
    refuse("grammar.preservedTokens", preservedTokens, "a list of texts");
  if (specialTokens !== "text" && specialTokens !== "named")
    refuse("grammar.specialTokens", specialTokens, '"text" or "named"');
  if (gbnf === null) return undefined;
  if (lazy && prefill !== "")
    refuse("grammar.prefill", prefill, "left out with a lazy grammar, which begins with its trigger");
  const planned = lazy ? readTriggers(triggers) : null;
  return parsed(JSON.stringify([gbnf, root, preservedTokens, prefill, specialTokens, sleeps, wakes, planned]), () => ({
    gbnf: parseGbnf(gbnf, { root }),
    root,
    preservedTokens: [...preservedTokens],
    prefill,
    specialTokens,
    lazy: planned && { triggers: planned, sleeps, wakes },
  }));
}

function readTriggers(triggers: readonly SamplerTrigger[]): readonly PlannedTrigger[] {
  if (!Array.isArray(triggers)) refuse("grammar.triggers", triggers, "a list of { word } and { token }");
  if (triggers.length === 0)
    throw new TitoError(
      "grammar_without_triggers",
      'A lazy grammar sleeps until a trigger, and grammar.triggers has none: it would never hold. Give it triggers, like [{ word: "<tool_call>" }], or leave lazy out.',
      { details: { option: "grammar.triggers" } },
    );
  return triggers.map((trigger, at) => readTrigger(trigger, `grammar.triggers[${at}]`));
}

function readTrigger(trigger: SamplerTrigger, name: string): PlannedTrigger {
  const form = "{ word, atStart? } or { token }, a text that is not empty, or an id";
  if (typeof trigger !== "object" || trigger === null) refuse(name, trigger, form);
  const kind = "kind" in trigger ? trigger.kind : undefined;
  refuseUnknown(
    trigger,
    kind === undefined ? ["word", "token", "atStart"] : ["kind", "text", "id", "atStart"],
    `${name}.`,
  );
  const { word, token, text, id, atStart = false } = trigger as Readonly<Record<string, unknown>>;
  if (typeof atStart !== "boolean") refuse(`${name}.atStart`, atStart, "true or false");
  const [asWord, asToken] = kind === undefined ? [word, token] : kind === "word" ? [text, undefined] : [undefined, id];
  const isText = (one: unknown): one is string => typeof one === "string" && one !== "";
  const isId = (one: unknown): one is number => Number.isSafeInteger(one) && (one as number) >= 0;
  if (isText(asWord) && asToken === undefined) return { kind: "word", text: asWord, atStart };
  if ((isText(asToken) || isId(asToken)) && asWord === undefined)
    return { kind: "token", token: asToken, text: kind === undefined ? undefined : (text as string) };
  return refuse(name, trigger, form);
}

/**
 * A grammar must leave at least one id with a finite logit: with none, llama.cpp draws an id that the grammar refuses, and
 * node-llama-cpp ends the process. So what could drown every allowed id has limits. @internal
 */
export function refuseBesideGrammar(plan: SamplePlan): void {
  const { dry, xtc, frequencyPenalty, presencePenalty, repeatPenalty, grammarFirst } = plan;
  if (dry !== undefined)
    throw new TitoError(
      "sampler_option",
      "dry: its penalty grows without a limit on a repeat that the grammar asks for. Leave dry out, or the grammar.",
      { details: { option: "dry" } },
    );
  if (xtc !== undefined && !grammarFirst)
    refuse(
      "xtc",
      xtc,
      "left out beside a grammar without grammarFirst: its coin would be tossed twice, and no log-probability known",
    );
  if (xtc !== undefined && xtc.threshold < 1e-6)
    refuse("xtc.threshold", xtc.threshold, "at least 0.000001 with a grammar");
  for (const [name, value] of Object.entries({ frequencyPenalty, presencePenalty }))
    if (Math.abs(value) > 1e6) refuse(name, value, "from -1000000 to 1000000 with a grammar");
  if (repeatPenalty < 1e-3 || repeatPenalty > 1e3)
    refuse("repeatPenalty", repeatPenalty, "0.001 to 1000 with a grammar");
}
