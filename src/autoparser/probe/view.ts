import type { ContentLayout, ReasoningLayout } from "../../parse/layout/layout.ts";
import { findContent } from "../findings/findContent.ts";
import { findReasoning, reasoningFromContent } from "../findings/findReasoning.ts";
import { around } from "../findings/reasoning.ts";
import {
  headerOf,
  openedText,
  promptTexts,
  thinkingOff,
  thinkingOn,
  withoutOpening,
  withoutPrefill,
} from "./header.ts";
import type { Prober } from "./prober.ts";
import { call, names, words } from "./probes.ts";
import { findSpeaker, type Place, type Speaker, turnAt } from "./speaker.ts";
import type { Turn } from "./turn.ts";
import { closingOf, endInHistory } from "./turnEnd.ts";
import type { Opened, ProbeCall } from "./types.ts";

/** What is said in the turns that a format is read from. */
const firstCall = call(0, { [names.keys[0]]: "vone", [names.keys[1]]: "vtwo" });
const secondCall = call(1, { [names.keys[0]]: "vthree", [names.keys[1]]: "vfour" });

const said = {
  content: { content: words.content },
  reasoned: { content: words.content, reasoning: words.reasoning },
  reasonedCall: { reasoning: words.reasoning, calls: [firstCall] },
  call: { calls: [firstCall] },
  calls: { calls: [firstCall, secondCall] },
  contentCall: { content: words.content, calls: [firstCall] },
} as const;

export type ProbedTurn = keyof typeof said;

/** What the renders of a template show, before it is known how it writes calls. */
export interface TemplateView {
  readonly speaker: Speaker;
  /** The calls that the turns make, with their ids as the template was given them. */
  readonly calls: readonly [ProbeCall, ProbeCall];
  /** The text that opens a turn in a prompt, without what opens reasoning. */
  readonly header: string;
  readonly opened: Opened;
  /** Texts that end a turn; the first one ends a turn of content. */
  readonly stops: readonly string[];
  /** The same, and special tokens that may. */
  readonly ends: readonly string[];
  readonly reasoning: ReasoningLayout | null;
  readonly content: ContentLayout;
  /** What is written between content and what stops it. */
  readonly end: string;
  /** A turn behind its header; null where the template refuses it. */
  turn(what: ProbedTurn): Turn | null;
  /** The turn of one call with these arguments. */
  callTurn(args: object): Turn | null;
  /** What a prompt says with tools and thinking, and what it says without either. */
  readonly told: { readonly tools: string; readonly thinking: string; readonly plain: string };
}

/** `ends`: special tokens that may end a turn. */
export function viewOf(probe: Prober, ends: readonly string[]): TemplateView {
  const speaker = findSpeaker(probe, said.reasoned, said.call);
  const known = new Map<ProbedTurn, Place | null>();
  const place = (what: ProbedTurn): Place | null => {
    if (!known.has(what)) known.set(what, speaker.place(said[what], { tools: what.toLowerCase().includes("call") }));
    return known.get(what)!;
  };
  const places = (Object.keys(said) as ProbedTurn[]).flatMap((what) => place(what) ?? []);
  const prompts = promptTexts(speaker);
  const header = withoutPrefill(withoutOpening(headerOf(prompts, places), [place("reasoned"), place("reasonedCall")]), [
    ...Object.values(prompts),
    ...places.map(({ trace, base }) => trace.text.slice(base)),
  ]);
  const turn = (what: ProbedTurn): Turn | null => {
    const found = place(what);
    return found && turnAt(found, header);
  };
  const opened: Opened = {
    plain: openedText(speaker, header, prompts.plain, {}),
    on: openedText(speaker, header, prompts.on, thinkingOn),
    off: openedText(speaker, header, prompts.off, thinkingOff),
  };

  const content = turn("content");
  const aroundContent = content && around(content, "content");
  const closing = closingOf(endInHistory(speaker, header, aroundContent?.after ?? ""), ends);
  const shown = findReasoning({
    reasoned: turn("reasoned"),
    reasonedCall: turn("reasonedCall"),
    aroundContent: aroundContent ?? { before: "", after: "" },
    opened,
    header,
  });
  const inHistory = (text: string) => {
    const found = speaker.place({ content: text }, { followed: true });
    return found && turnAt(found, header).text;
  };
  const reasoning = shown ?? reasoningFromContent(inHistory);
  const contentLayout = findContent({
    aroundContent,
    reasoned: turn("reasoned"),
    withContent: turn("contentCall"),
    call: turn("call"),
    reasoning,
    before: closing.before,
  });
  const { close } = contentLayout;
  const stops = [closing.token, ...ends.filter((token) => aroundContent?.after.includes(token))];
  const isStop = (token: string | null | undefined): token is string => token !== null && token !== undefined;
  const turnEnds = [...new Set(stops.filter(isStop))];
  const ask = (options: Parameters<Speaker["ask"]>[0]) => speaker.ask(options) ?? "";
  return {
    speaker,
    calls: speaker.manner.namingIds ? [named(firstCall, 0), named(secondCall, 1)] : [firstCall, secondCall],
    header,
    opened,
    stops: turnEnds,
    ends: [...new Set([...turnEnds, ...ends])],
    reasoning,
    content: contentLayout,
    end: closing.before.slice(close === "" ? 0 : closing.before.indexOf(close) + close.length),
    turn,
    callTurn(args) {
      const found = speaker.place({ calls: [call(0, args)] }, { tools: true });
      return found && turnAt(found, header);
    },
    get told() {
      const tools = ask({ tools: true, variables: thinkingOn });
      return { tools, thinking: ask({ variables: thinkingOn }), plain: ask({ variables: thinkingOff }) };
    },
  };
}

const named = (one: ProbeCall, index: number): ProbeCall => ({ ...one, id: `functions.${one.function.name}:${index}` });
