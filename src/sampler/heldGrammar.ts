import { TitoError } from "../errors.ts";
import { parts } from "../gbnf/checkGbnf.ts";
import { matchedBy, meets } from "../gbnf/codePoints.ts";
import { continuationOf } from "../gbnf/continuation.ts";
import { placesOf } from "../gbnf/gbnfMatcher.ts";
import {
  alternatives,
  type Gbnf,
  type GbnfExpression,
  type GbnfMatcher,
  type GbnfToken,
  gbnfMatcher,
  literal,
  optional,
  printGbnf,
  reference,
  sequence,
  token,
} from "../gbnf/index.ts";
import { allowedIds, bannedIds, hasId, idsOf, type TriggerOptions, type VocabularyTrie } from "./grammar/index.ts";
import type { PlannedGrammar, PlannedLazy } from "./grammarOptions.ts";
import type { IllFormedIds } from "./illFormedIds.ts";
import type { TokenBytes } from "./tokenBytes.ts";

/** What grammars need to know of a model. */
export interface GrammarVocabulary {
  readonly bytes: TokenBytes;
  readonly vocabSize: number;
  readonly eogIds: readonly number[];
  /** The one token that a text with markers is, as llama.cpp reads `<name>`. */
  readonly idOf: (text: string) => number | undefined;
  /** Whether an id stands for something that no text spells: control tokens and those that a model's maker has added. */
  readonly isSpecial: (id: number) => boolean;
  /** Those that are no end ids. */
  readonly specialIds: () => readonly number[];
  /** All tokens by their bytes; made when it is first asked for. */
  readonly trie: () => VocabularyTrie;
  readonly illFormed: () => IllFormedIds;
}

/** A grammar as a model can run it. */
export interface HeldGrammar {
  /** At the grammar's first character, or behind its prefill. */
  readonly begin: () => GbnfMatcher;
  /** What llama.cpp is given there, with the ids that may end it. */
  readonly beginning: () => NativeGrammar | null;
  /**
   * What llama.cpp is given for what may follow elsewhere. Null: inside of a character it takes no grammar, and for what is ambiguous
   * beyond measure none is made.
   */
  readonly following: (matcher: GbnfMatcher) => NativeGrammar | null;
  /**
   * Ids that cannot be next and that llama.cpp lets pass:
   * - those that the grammar names, where their first characters are the text before their place: after `"a"`, `[a<] <[id of "<x>"]>`
   *   would let pass `<x>` at once, and node-llama-cpp then ends the process
   * - those that write what is no UTF-8, alone or behind what is there of a character
   * - special tokens that are not named, where these are no text
   */
  readonly bans: (matcher: GbnfMatcher) => readonly number[];
  /** All ids that cannot be next but the end ids of the model; and those that can. For where llama.cpp is given no grammar. */
  readonly banned: (matcher: GbnfMatcher) => readonly number[];
  readonly allowed: (matcher: GbnfMatcher) => Iterable<number>;
  /** Ids that are possible where the grammar may end, besides those that go on. */
  readonly ends: readonly number[];
  readonly lazy: HeldLazy | null;
}

/** GBNF for llama.cpp. */
export interface NativeGrammar {
  readonly gbnf: string;
  readonly root: string;
}

/** What wakes a grammar. */
export interface HeldLazy extends Omit<PlannedLazy, "triggers"> {
  readonly triggers: TriggerOptions;
}

/** `"end"`: an end id that is no stop id. `"refused"`: an id that the grammar does not take. */
export type GrammarStep = "on" | "stop" | "end" | "refused";

/**
 * Makes a grammar fit for a model and for its stop ids.
 *
 * llama.cpp lets every end id of the model, and no other, end a grammar. Stop ids that are none become an optional last token of
 * the grammar; where there are no others, a required one, and then only they can end it.
 *
 * A place at which no token can follow would end the process, so that what may lead there is refused.
 * @throws TitoError `sampler_option`, `token_missing`, `token_out_of_range`.
 */
export function holdGrammar(
  { gbnf, root, preservedTokens, prefill, specialTokens, lazy }: PlannedGrammar,
  stop: ReadonlySet<number>,
  vocabulary: GrammarVocabulary,
): HeldGrammar {
  const { bytes, eogIds } = vocabulary;
  if (bytes.missing !== undefined)
    refuseGrammar(`this model's vocabulary cannot write the byte ${bytes.missing}, and so not every character.`);
  const triggers = lazy && heldTriggers(lazy, vocabulary);
  const waking = triggers?.tokens.filter(({ id }) => vocabulary.isSpecial(id)) ?? [];
  const markers = markersOf([...preservedTokens, ...waking.map(({ text }) => text)], vocabulary);
  const rules = gbnf.rules.map((rule) => ({ ...rule, body: resolve(rule.body, vocabulary, markers) }));
  const resolved: Gbnf = { ...gbnf, rules };
  const eog = new Set(eogIds);
  const ownStops = [...stop].filter((id) => !eog.has(id));
  const last = ownStops.filter((id) => writes(bytes, id));
  const endsByEog = last.length === 0 || ownStops.length < stop.size;
  if (endsByEog && eogIds.length === 0)
    refuseGrammar("nothing ends it: the model has no end ids. Give stop an id that the model can write.");

  const named = new Set(last);
  for (const { body } of rules) for (const one of parts(body)) if (one.kind === "token") named.add(one.token as number);
  const begin = gbnfMatcher(resolved, { root });
  if (prefill !== "" && !begin.accept(prefill))
    refuseGrammar(`it does not begin with its prefill, ${JSON.stringify(prefill)}.`);
  const end = { last, required: !endsByEog };
  const following = (matcher: GbnfMatcher): NativeGrammar | null => {
    const rest = continuationOf(matcher);
    return rest.kind === "grammar" ? nativeForm(rest.gbnf, rest.root, end) : null;
  };
  const special = new Set(specialTokens === "named" ? vocabulary.specialIds() : []);
  const unnamed = [...special].filter((id) => !named.has(id));
  const allows = (matcher: GbnfMatcher, id: number): boolean =>
    (stop.has(id) && matcher.isComplete()) || matcher.clone().acceptToken(id, special.has(id) ? noText : bytes.of(id));
  return {
    bans(matcher) {
      const { never, continuing } = vocabulary.illFormed();
      const bans = [...never, ...unnamed];
      for (const id of named) if (!allows(matcher, id)) bans.push(id);
      if (!isInsideCharacter(matcher)) return bans;
      const allowed = allowedIds(matcher, vocabulary.trie());
      for (const id of continuing) if (!hasId(allowed, id)) bans.push(id);
      return bans;
    },
    banned: (matcher) => [...bannedIds(matcher, vocabulary.trie(), [...last, ...eogIds]), ...unnamed],
    allowed: (matcher) => [...idsOf(allowedIds(matcher, vocabulary.trie()))].filter((id) => !unnamed.includes(id)),
    begin: () => begin.clone(),
    beginning: () => (prefill === "" ? nativeForm(resolved, root, end) : following(begin)),
    following,
    ends: [...last, ...(endsByEog ? eogIds : [])],
    lazy: lazy && { ...lazy, triggers: triggers! },
  };
}

/** No grammar takes it as text. */
const noText = Uint8Array.of(0xff);

const isInsideCharacter = (matcher: GbnfMatcher): boolean => placesOf(matcher).branches.some(({ partial }) => partial);

interface GrammarEnd {
  readonly last: readonly number[];
  readonly required: boolean;
}

function nativeForm(gbnf: Gbnf, root: string, { last, required }: GrammarEnd): NativeGrammar {
  if (last.length === 0) return { gbnf: printGbnf(gbnf), root };
  const names = new Set(gbnf.rules.map(({ name }) => name));
  let name = "whole";
  while (names.has(name)) name += "-";
  const end = alternatives(...last.map((id) => token(id)));
  const body = sequence(reference(root), required ? end : optional(end));
  const rules = [{ kind: "rule" as const, name, body }, ...gbnf.rules];
  return { gbnf: printGbnf({ ...gbnf, rules }), root: name };
}

/** A word that is a special token is matched by its id; any other is found in the text, which is where its own token is, too. */
function heldTriggers({ triggers }: PlannedLazy, vocabulary: GrammarVocabulary): TriggerOptions {
  const words: { text: string; atStart: boolean }[] = [];
  const tokens: { id: number; text: string }[] = [];
  const textOf = (id: number) => new TextDecoder().decode(vocabulary.bytes.of(id));
  for (const trigger of triggers) {
    const text = trigger.kind === "word" ? trigger.text : trigger.token;
    const id = typeof text === "number" ? text : vocabulary.idOf(text);
    if (trigger.kind === "word" && (id === undefined || trigger.atStart || !vocabulary.isSpecial(id))) {
      words.push(trigger);
      continue;
    }
    if (id === undefined)
      throw new TitoError(
        "token_missing",
        `grammar.triggers: ${JSON.stringify(text)} is no token of the model. Name it as a word.`,
        {
          details: { token: text },
        },
      );
    if (id >= vocabulary.vocabSize)
      throw new TitoError("token_out_of_range", `grammar.triggers: ${id} is no id of the model.`, { details: { id } });
    const whole = textOf(id);
    const part = (trigger.kind === "token" ? trigger.text : undefined) ?? whole;
    if (!whole.endsWith(part))
      refuseGrammar(
        `the trigger ${id} is the token ${JSON.stringify(whole)}, which does not end with ${JSON.stringify(part)}.`,
      );
    tokens.push({ id, text: part });
  }
  return { words, tokens };
}

type Markers = readonly { readonly text: string; readonly id: number }[];

/** Those that the model can write as one token; the longest first. */
function markersOf(texts: readonly string[], { bytes, eogIds, idOf }: GrammarVocabulary): Markers {
  return texts
    .flatMap((text) => {
      const id = idOf(text);
      return id === undefined || eogIds.includes(id) || !writes(bytes, id) ? [] : [{ text, id }];
    })
    .sort((one, other) => other.text.length - one.text.length);
}

/** The expression with every token by its id, and every marker a token. */
function resolve(body: GbnfExpression, vocabulary: GrammarVocabulary, markers: Markers): GbnfExpression {
  for (const one of parts(body)) checkPart(one);
  return mapLeaves(body, (one) => {
    if (one.kind === "token") return resolveToken(one, vocabulary);
    return one.kind === "literal" ? withMarkers(one.text, markers) : one;
  });
}

function withMarkers(text: string, markers: Markers): GbnfExpression {
  const found: GbnfExpression[] = [];
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const marker = markers.find((one) => text.startsWith(one.text, at));
    if (marker === undefined) {
      at++;
      continue;
    }
    found.push(literal(text.slice(start, at)), token(marker.id));
    at += marker.text.length;
    start = at;
  }
  return found.length === 0 ? literal(text) : sequence(...found, literal(text.slice(start)));
}

function checkPart(one: GbnfExpression): void {
  if (one.kind === "literal" && one.text.includes("\0"))
    refuseGrammar("it asks for the character U+0000, which llama.cpp's grammars never take.");
  if (one.kind !== "class") return;
  const set = matchedBy(one);
  if (!meets(set, 1, 0xd7ff) && !meets(set, 0xe000, 0x10ffff))
    refuseGrammar("one of its classes has no character that a text can have.");
}

function resolveToken(one: GbnfToken, { bytes, vocabSize, eogIds, idOf }: GrammarVocabulary): GbnfToken {
  const id = typeof one.token === "number" ? one.token : idOf(one.token);
  const shown = typeof one.token === "number" ? `<[${one.token}]>` : one.token;
  if (id === undefined)
    throw new TitoError("token_missing", `The grammar names the token ${shown}, which the model does not have.`, {
      details: { token: one.token },
    });
  if (id >= vocabSize)
    throw new TitoError(
      "token_out_of_range",
      `The grammar names the token ${shown}, and the model's ids are the whole numbers from 0 to ${vocabSize - 1}.`,
      { details: { id, vocabSize } },
    );
  if (one.negated)
    refuseGrammar(
      `it has !${shown}, which llama.cpp also lets pass in the middle of a token. Name what is allowed instead.`,
    );
  if (eogIds.includes(id))
    refuseGrammar(
      `it names ${shown}, an end id of the model, and llama.cpp takes those behind the whole grammar only. Leave it out: stop ids may follow where the grammar may end.`,
    );
  if (!writes(bytes, id)) refuseGrammar(`it names ${shown}, a token without text, which is never drawn.`);
  return { ...one, token: id };
}

/** llama.cpp's grammars leave out tokens without text, and those that begin with U+0000. */
function writes(bytes: TokenBytes, id: number): boolean {
  const text = bytes.of(id);
  return text.length > 0 && text[0] !== 0;
}

function mapLeaves(one: GbnfExpression, map: (leaf: GbnfExpression) => GbnfExpression): GbnfExpression {
  switch (one.kind) {
    case "group":
      return { ...one, body: mapLeaves(one.body, map) };
    case "sequence":
      return { ...one, items: one.items.map((item) => mapLeaves(item, map)) };
    case "alternatives":
      return { ...one, options: one.options.map((option) => mapLeaves(option, map)) };
    case "repeat":
      return { ...one, item: mapLeaves(one.item, map) };
    default:
      return map(one);
  }
}

function refuseGrammar(why: string): never {
  throw new TitoError("sampler_option", `grammar: ${why}`, { details: { option: "grammar" } });
}
