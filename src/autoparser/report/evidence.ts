import { type ChatTemplate, compileTemplate, type TemplateTrace } from "../../template/index.ts";
import type { AnalyzeOptions, TemplateAnalysis } from "../analyze.ts";
import { thinkingOff, thinkingOn } from "../probe/header.ts";
import { prober } from "../probe/prober.ts";
import { call, names, type Said, words } from "../probe/probes.ts";
import { type Speaker, type SpeakOptions, speaker } from "../probe/speaker.ts";
import { difference, type TextDifference } from "../text/diff.ts";

/** One way of asking a template: what is said to it, in words, and what it writes. */
export interface ProbeVariant {
  readonly name: string;
  readonly about: string;
  /** The whole render; null: the template refuses it. */
  readonly text: string | null;
}

/** A piece of a render and where it comes from. */
export interface EvidencePiece {
  readonly text: string;
  /** Path of the value in the template's context; null: the template's own words. */
  readonly path: readonly (string | number)[] | null;
  /** UTF-16 offset in the template's source. */
  readonly at: number;
}

/** Two renders that differ in one thing that is said, and what that changes: this is what findings rest on. */
export interface Evidence {
  /** `R` reasoning, `C` content, `T` tool calls, `P` prompt. */
  readonly comparison: string;
  readonly about: string;
  /** Parts of the layout that it shows. */
  readonly shows: readonly string[];
  /** Names of variants. */
  readonly left: string;
  readonly right: string;
  /** Null: the template refuses one of the two. */
  readonly difference: TextDifference | null;
  /** The pieces of the right render within the difference; empty where only text is known. */
  readonly pieces: readonly EvidencePiece[];
}

interface Variant {
  readonly about: string;
  readonly said?: Said;
  readonly options?: SpeakOptions & { readonly prompt?: boolean };
}

const [first, second] = names.functions;
const [one, two] = names.keys;
const plainCall = call(0, { [one]: "vone" });
const tools = { tools: true } as const;
const calling = (calls: Said["calls"], more: Said = {}): Pick<Variant, "said" | "options"> => ({
  said: { ...more, calls: calls! },
  options: tools,
});

const variants = {
  user: { about: "a question" },
  prompt: { about: "a question, and the prompt behind it", options: { prompt: true } },
  prompt_on: { about: "the prompt with thinking on", options: { prompt: true, variables: thinkingOn } },
  prompt_off: { about: "the prompt with thinking off", options: { prompt: true, variables: thinkingOff } },
  prompt_tools: { about: "the prompt with tools", options: { prompt: true, ...tools } },
  empty: { about: "an answer without a word", said: {}, options: tools },
  content: { about: "an answer", said: { content: words.content } },
  content_tools: { about: "an answer, with tools", said: { content: words.content }, options: tools },
  followed: {
    about: "an answer, and another question",
    said: { content: words.content },
    options: { followed: true },
  },
  reasoning: { about: "reasoning and an answer", said: { content: words.content, reasoning: words.reasoning } },
  one_call: { about: "a call with one argument", ...calling([plainCall]) },
  content_call: { about: "content and a call", ...calling([plainCall], { content: words.content }) },
  reasoning_call: { about: "reasoning and a call", ...calling([plainCall], { reasoning: words.reasoning }) },
  two_calls: { about: "two calls", ...calling([plainCall, call(1, { [one]: "vtwo" })]) },
  other_function: {
    about: `a call of ${second} instead of ${first}`,
    ...calling([call(0, { [one]: "vone" }, second)]),
  },
  no_arguments: { about: "a call without arguments", ...calling([call(0, {})]) },
  two_arguments: { about: "a call with two arguments", ...calling([call(0, { [one]: "vone", [two]: "vtwo" })]) },
  other_argument: { about: `an argument ${two} instead of ${one}`, ...calling([call(0, { [two]: "vone" })]) },
  other_value: { about: "another value of the argument", ...calling([call(0, { [one]: "other" })]) },
  number_value: { about: "a number as the argument's value", ...calling([call(0, { [one]: 41 })]) },
  object_value: { about: "an object as the argument's value", ...calling([call(0, { [one]: { inner: false } })]) },
  other_id: { about: "another id of the call", ...calling([{ ...plainCall, id: "callZZZZ9" }]) },
} as const satisfies Readonly<Record<string, Variant>>;

type VariantName = keyof typeof variants;

interface Comparison {
  readonly comparison: string;
  readonly about: string;
  readonly shows: readonly string[];
  readonly pair: readonly [VariantName, VariantName];
}

const comparisons: readonly Comparison[] = [
  { comparison: "P1", about: "what a prompt adds", shows: ["header", "opened"], pair: ["user", "prompt"] },
  { comparison: "R1", about: "reasoning", shows: ["reasoning"], pair: ["content", "reasoning"] },
  { comparison: "R2", about: "thinking on and off", shows: ["opened"], pair: ["prompt_off", "prompt_on"] },
  {
    comparison: "R3",
    about: "reasoning beside calls",
    shows: ["reasoning.mode"],
    pair: ["one_call", "reasoning_call"],
  },
  { comparison: "C1", about: "content", shows: ["content"], pair: ["empty", "content_tools"] },
  {
    comparison: "C2",
    about: "content beside calls",
    shows: ["content", "calls.lead"],
    pair: ["one_call", "content_call"],
  },
  { comparison: "C3", about: "the end of a turn", shows: ["end", "stops"], pair: ["content", "followed"] },
  { comparison: "T1", about: "a call", shows: ["calls"], pair: ["empty", "one_call"] },
  {
    comparison: "T2",
    about: "another call",
    shows: ["calls.section", "calls.separator"],
    pair: ["one_call", "two_calls"],
  },
  { comparison: "T3", about: "the function's name", shows: ["calls.call"], pair: ["one_call", "other_function"] },
  { comparison: "T4", about: "the argument's name", shows: ["calls.call"], pair: ["one_call", "other_argument"] },
  { comparison: "T5", about: "the argument's value", shows: ["calls.call"], pair: ["one_call", "other_value"] },
  { comparison: "T6", about: "a value that is a number", shows: ["calls.call"], pair: ["one_call", "number_value"] },
  { comparison: "T7", about: "a value that is an object", shows: ["calls.call"], pair: ["one_call", "object_value"] },
  { comparison: "T8", about: "another argument", shows: ["calls.call"], pair: ["one_call", "two_arguments"] },
  { comparison: "T9", about: "no argument", shows: ["calls.call"], pair: ["no_arguments", "one_call"] },
  { comparison: "T10", about: "the call's id", shows: ["calls.call"], pair: ["one_call", "other_id"] },
];

/** The renders that say most about a template, made in the manner that the analysis found. */
export interface ProbeRenders {
  readonly variants: readonly ProbeVariant[];
  readonly evidence: readonly Evidence[];
}

/**
 * Renders the conversations that findings rest on anew, and compares them pairwise. `left` and `right` of a comparison are names of
 * variants.
 *
 * @example
 * const { evidence } = probeRenders(template, analyze(template));
 * evidence.find(({ comparison }) => comparison === "R1").difference.right; // "<think>\nThought\n</think>\n\n"
 */
export function probeRenders(
  template: ChatTemplate | string,
  { manner }: Pick<TemplateAnalysis, "manner">,
  options: Pick<AnalyzeOptions, "mutable" | "specialTokens" | "templateKwargs" | "log"> = {},
): ProbeRenders {
  const { mutable = true, specialTokens, templateKwargs, log } = options;
  const compiled = typeof template === "string" ? compileTemplate(template, { mutable }) : template;
  const voice = speaker(prober(compiled, { specialTokens, variables: templateKwargs, log }), manner);
  const entries = Object.entries(variants) as [VariantName, Variant][];
  const renders = new Map(entries.map(([name, variant]) => [name, rendered(voice, variant)]));
  return {
    variants: entries.map(([name, { about }]) => ({ name, about, text: renders.get(name)!.text })),
    evidence: comparisons.map((comparison) => evidenceOf(comparison, renders)),
  };
}

interface Rendered {
  readonly text: string | null;
  readonly trace: TemplateTrace | null;
}

function rendered(voice: Speaker, { said, options }: Variant): Rendered {
  if (said === undefined) return { text: voice.ask(options), trace: null };
  const trace = voice.place(said, options)?.trace ?? null;
  return { text: trace?.text ?? null, trace };
}

function evidenceOf(
  { pair: [left, right], ...rest }: Comparison,
  renders: ReadonlyMap<VariantName, Rendered>,
): Evidence {
  const [a, b] = [renders.get(left)!, renders.get(right)!];
  if (a.text === null || b.text === null) return { ...rest, left, right, difference: null, pieces: [] };
  const found = difference(a.text, b.text);
  const start = found.prefix.length;
  return {
    ...rest,
    left,
    right,
    difference: found,
    pieces: b.trace ? piecesIn(b.trace, start, found.right.length) : [],
  };
}

/** The pieces of a range, those of one source joined. */
function piecesIn({ pieces }: TemplateTrace, start: number, length: number): EvidencePiece[] {
  const found: EvidencePiece[] = [];
  let offset = 0;
  for (const { text, source, at } of pieces) {
    const part = text.slice(Math.max(0, start - offset), Math.max(0, start + length - offset));
    offset += text.length;
    if (part === "") continue;
    const path = source === null || source.isTemplate ? null : source.path();
    const last = found.at(-1);
    if (last && JSON.stringify(last.path) === JSON.stringify(path))
      found[found.length - 1] = { ...last, text: last.text + part };
    else found.push({ text: part, path, at });
  }
  return found;
}
