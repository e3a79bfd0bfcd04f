import { type JsonInput, pythonJson } from "../../messages/index.ts";
import type { TemplateTrace } from "../../template/index.ts";
import { wholePrefix } from "../text/diff.ts";
import type { ProbeOptions, Prober } from "./prober.ts";
import { assistant, call, type Said, tools, user, withNamingIds, words } from "./probes.ts";
import { type Turn, turnOf } from "./turn.ts";
import type { ProbeMessage } from "./types.ts";

/** How a template wants to be spoken to; found by trying. */
export interface Manner {
  /** Content is a list of parts. */
  readonly typed: boolean;
  /** It renders nothing without tools, or nothing with them. */
  readonly tools: "as given" | "needed" | "refused";
  /** It prints variables of its own, which have to be there. */
  readonly filled: boolean;
  /** It takes the arguments of a call only as JSON text. */
  readonly argumentsAreText: boolean;
  /** Calls are written only where the content is null, and not where it is empty. */
  readonly nullContent: boolean;
  /** Calls are refused where nothing is thought or said before them. */
  readonly reasonedCalls: boolean;
  /** Reasoning is a part of the content. */
  readonly reasoningInContent: boolean;
  /** The id of a call is where the format has the function's name. */
  readonly namingIds: boolean;
  /** Variables with which it shows reasoning. */
  readonly thinking: Readonly<Record<string, unknown>>;
}

export interface SpeakOptions {
  readonly tools?: boolean | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Another question follows. */
  readonly followed?: boolean | undefined;
}

/** Where an assistant's turn stands in a render: UTF-16 offsets. */
export interface Place {
  readonly trace: TemplateTrace;
  /** Behind the render of the messages before. */
  readonly base: number;
  /** The end of what the template writes of the message. */
  readonly end: number;
}

/** One template, spoken to in one manner. */
export interface Speaker {
  readonly manner: Manner;
  /** The user's question, and the prompt behind it where `prompt` is given. */
  ask(options?: SpeakOptions & { readonly prompt?: boolean | undefined }): string | null;
  /** What an answer has to say for the template to take it. */
  effective(said: Said): Said;
  /** The question and an assistant's answer. */
  place(said: Said, options?: SpeakOptions): Place | null;
}

const anchors: readonly Said[] = [{ content: words.content }, { calls: [call(0, {})] }];

export function speaker(probe: Prober, manner: Manner): Speaker {
  const optionsOf = ({ tools: given = false, variables = {} }: SpeakOptions): ProbeOptions => ({
    tools: manner.tools === "needed" || (given && manner.tools !== "refused") ? tools : undefined,
    filled: manner.filled,
    variables: { ...manner.thinking, ...variables },
  });
  const spoken = (message: ProbeMessage): ProbeMessage => {
    if (!manner.typed || typeof message.content !== "string") return message;
    return { ...message, content: [{ type: "text", text: message.content }] as never };
  };
  const question = spoken(user);
  const beginnings = new Map<string, string | null>();
  return {
    manner,
    effective: (said) => effective(said, manner),
    ask: ({ prompt, ...options } = {}) => probe([question], { ...optionsOf(options), prompt })?.text ?? null,
    place(said, options = {}) {
      const settings = optionsOf(options);
      const before = beginning(settings);
      const after = options.followed ? [question] : [];
      const trace = probe([question, messageOf(said, manner, spoken), ...after], settings);
      if (before === null || trace === null) return null;
      return { trace, base: wholePrefix(trace.text, before).length, end: endOf(trace, 1) };
    },
  };

  /** What stands before every answer. A render may end with what opens a turn, whoever asked: answers show where that begins. */
  function beginning(settings: ProbeOptions): string | null {
    const key = JSON.stringify([settings.tools?.length, settings.variables]);
    let known = beginnings.get(key);
    if (known === undefined) {
      const before = probe([question], settings);
      const answers = anchors.flatMap((anchor) => probe([question, messageOf(anchor, manner, spoken)], settings) ?? []);
      known = before && answers.reduce((shared, { text }) => wholePrefix(shared, text), before.text);
      beginnings.set(key, known);
    }
    return known;
  }
}

function effective(said: Said, { reasonedCalls }: Manner): Said {
  const isBare = said.calls !== undefined && !said.content && said.reasoning === undefined;
  return reasonedCalls && isBare ? { ...said, reasoning: words.reasoning } : said;
}

function messageOf(given: Said, manner: Manner, spoken: (message: ProbeMessage) => ProbeMessage): ProbeMessage {
  const said = effective(given, manner);
  const { calls, reasoning, content = manner.nullContent && said.calls !== undefined ? null : "" } = said;
  const named = calls === undefined ? undefined : manner.namingIds ? withNamingIds(calls) : calls;
  const written = manner.argumentsAreText
    ? named?.map((one) => ({ ...one, function: { ...one.function, arguments: asText(one.function.arguments) } }))
    : named;
  const message = assistant({
    ...said,
    content,
    ...(written === undefined ? {} : { calls: written as typeof named & object }),
  });
  if (!manner.reasoningInContent || reasoning === undefined) return spoken(message);
  const parts = [
    { type: "thinking", thinking: reasoning },
    ...(content === "" || content === null ? [] : [{ type: "text", text: content }]),
  ];
  return { ...message, content: parts as never };
}

const asText = (args: object): never => pythonJson(args as JsonInput) as never;

function endOf({ pieces, text }: TemplateTrace, index: number): number {
  let end = 0;
  let at = 0;
  for (const piece of pieces) {
    at += piece.text.length;
    if (piece.writing === index || piece.source?.message === index) end = at;
  }
  const stands = pieces.some(({ writing }) => writing === index);
  return stands ? end : text.length;
}

/** The turn of a place behind its header, which may begin before the place does. */
export function turnAt({ trace, base, end }: Place, header: string): Turn {
  return turnOf(trace, 1, bodyStart(trace.text, base, header), end);
}

export function bodyStart(text: string, base: number, header: string): number {
  for (let start = base; start >= Math.max(0, base - header.length); start--) {
    if (text.startsWith(header, start)) return start + header.length;
  }
  return base;
}

/** What of a prompt's own text stands at a place, as far as it does. */
export function headerAt({ trace, base }: Place, prompt: string): string {
  let best = "";
  for (let start = base; start >= Math.max(0, base - prompt.length); start--) {
    if (start < base && !prompt.startsWith(trace.text.slice(start, base))) continue;
    const shared = wholePrefix(trace.text.slice(start), prompt);
    if (shared.length > best.length) best = shared;
  }
  return best;
}

const THINKING: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { enable_thinking: true },
  { thinking: true },
  { thinking_mode: "thinking" },
  { reasoning_effort: "high" },
  { enable_thinking: true, thinking: true, thinking_mode: "thinking", reasoning_effort: "high" },
];

/** A list of parts that is printed and not read. */
const PRINTED = /['"](?:type|thinking|text)['"]:/;

/** Finds the manner in which a template shows most of what it can. */
export function findSpeaker(probe: Prober, said: Said, calls: Said): Speaker {
  const plain: Manner = {
    typed: false,
    tools: "as given",
    filled: false,
    argumentsAreText: false,
    nullContent: false,
    reasonedCalls: false,
    reasoningInContent: false,
    namingIds: false,
    thinking: {},
  };
  const shows = (manner: Manner, what: Said, tools: boolean, isShown: (turn: Turn) => boolean) => {
    const place = speaker(probe, manner).place(what, { tools });
    return place !== null && isShown(turnAt(place, ""));
  };
  const hears = (manner: Manner) =>
    shows(manner, { content: words.content }, false, ({ text }) => text.includes(words.content) && !PRINTED.test(text));
  const heard = [false, true].flatMap((filled) =>
    (["as given", "needed"] as const).flatMap((tools) =>
      [false, true].map((typed): Manner => ({ ...plain, typed, tools, filled })),
    ),
  );
  const hearing = heard.find(hears) ?? plain;

  const writesCalls = (manner: Manner) =>
    shows(manner, calls, true, ({ pieces, text }) => {
      const kinds = new Set(pieces.map((piece) => piece.slot?.kind));
      const isNamed = kinds.has("name") || kinds.has("call") || (manner.namingIds && kinds.has("id"));
      return isNamed && !text.includes("{'");
    });
  const willing: readonly Manner[] = [hearing, { ...hearing, tools: "refused" }, { ...hearing, reasonedCalls: true }];
  const calling = willing.flatMap((manner) =>
    [false, true].flatMap((namingIds) =>
      [false, true].flatMap((nullContent) =>
        [false, true].map((argumentsAreText): Manner => ({ ...manner, argumentsAreText, nullContent, namingIds })),
      ),
    ),
  );
  const manner = calling.find(writesCalls) ?? hearing;

  const isReasoned = ({ pieces, text }: Turn) =>
    pieces.some(({ slot }) => slot?.kind === "reasoning") && !PRINTED.test(text);
  const thinks = (one: Manner) =>
    shows(one, said, false, isReasoned) || shows(one, { ...calls, reasoning: words.reasoning }, true, isReasoned);
  const thinking = [false, true].flatMap((reasoningInContent) =>
    THINKING.map((variables): Manner => ({ ...manner, thinking: variables, reasoningInContent })),
  );
  return speaker(probe, thinking.find(thinks) ?? manner);
}
