import { TitoError } from "../errors.ts";
import { parts } from "../gbnf/checkGbnf.ts";
import { matchedBy, meets } from "../gbnf/codePoints.ts";
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
import type { PlannedGrammar } from "./grammarOptions.ts";
import type { TokenBytes } from "./tokenBytes.ts";

/** What grammars need to know of a model. */
export interface GrammarVocabulary {
  readonly bytes: TokenBytes;
  readonly vocabSize: number;
  readonly eogIds: readonly number[];
  /** The one token that a text with markers is, as llama.cpp reads `<name>`. */
  readonly idOf: (text: string) => number | undefined;
}

/** A grammar as a model can run it. */
export interface HeldGrammar {
  readonly gbnf: string;
  readonly root: string;
  /**
   * Ids that the grammar names. llama.cpp also lets them pass where their first characters are the text before their place: after
   * `"a"`, `[a<] <[id of "<x>"]>` would let pass `<x>` at once, and node-llama-cpp then ends the process.
   */
  readonly named: readonly number[];
  readonly follow: () => GrammarFollower;
}

/** Follows one completion. */
export interface GrammarFollower {
  /** Takes a sampled id, and says whether it ends the grammar's text. */
  readonly take: (id: number) => GrammarStep;
  /** Whether this id, one of those that are named, can be the next one. */
  readonly allows: (id: number) => boolean;
}

/** `"end"`: an end id that is no stop id. */
export type GrammarStep = "on" | "stop" | "end";

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
  { gbnf, root, preservedTokens }: PlannedGrammar,
  stop: ReadonlySet<number>,
  vocabulary: GrammarVocabulary,
): HeldGrammar {
  const { bytes, eogIds } = vocabulary;
  if (bytes.missing !== undefined)
    refuseGrammar(`this model's vocabulary cannot write the byte ${bytes.missing}, and so not every character.`);
  const markers = markersOf(preservedTokens, vocabulary);
  const rules = gbnf.rules.map((rule) => ({ ...rule, body: resolve(rule.body, vocabulary, markers) }));
  const resolved: Gbnf = { ...gbnf, rules };
  const eog = new Set(eogIds);
  const ownStops = [...stop].filter((id) => !eog.has(id));
  const last = ownStops.filter((id) => writes(bytes, id));
  const endsByEog = last.length === 0 || ownStops.length < stop.size;
  if (endsByEog && eogIds.length === 0)
    refuseGrammar("nothing ends it: the model has no end ids. Give stop an id that the model can write.");

  const held = last.length === 0 ? { gbnf: resolved, root } : withEnd(resolved, root, last, !endsByEog);
  const named = new Set(last);
  for (const { body } of rules) for (const one of parts(body)) if (one.kind === "token") named.add(one.token as number);
  const follow = () => follower(named.size === 0 ? undefined : gbnfMatcher(resolved, { root }), { bytes, stop, eog });
  return { gbnf: printGbnf(held.gbnf), root: held.root, named: [...named], follow };
}

/** Without named ids and stop ids that may be text, only end ids end a text: then nothing has to be matched. */
function follower(
  matcher: GbnfMatcher | undefined,
  { bytes, stop, eog }: { bytes: TokenBytes; stop: ReadonlySet<number>; eog: ReadonlySet<number> },
): GrammarFollower {
  return {
    take(id) {
      if (eog.has(id)) return stop.has(id) ? "stop" : "end";
      if (matcher === undefined) return "on";
      const before = matcher.isComplete();
      const isText = matcher.acceptToken(id, bytes.of(id));
      return stop.has(id) && (before || !isText || matcher.isComplete()) ? "stop" : "on";
    },
    allows: (id) =>
      matcher === undefined || (stop.has(id) && matcher.isComplete()) || matcher.clone().acceptToken(id, bytes.of(id)),
  };
}

function withEnd(gbnf: Gbnf, root: string, last: readonly number[], required: boolean) {
  const names = new Set(gbnf.rules.map(({ name }) => name));
  let name = "whole";
  while (names.has(name)) name += "-";
  const end = alternatives(...last.map((id) => token(id)));
  const body = sequence(reference(root), required ? end : optional(end));
  return { gbnf: { ...gbnf, rules: [{ kind: "rule" as const, name, body }, ...gbnf.rules] }, root: name };
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
