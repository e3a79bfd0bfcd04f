import type { CallsLayout, ContentLayout, ReasoningLayout, ResponseLayout } from "../parse/layout/layout.ts";
import { jsonUnit, objectUnit } from "./callUnits.ts";
import { type CallTurns, layoutByTags, layoutByUnits } from "./callsLayout.ts";
import { segments, wholePrefix, wholeSuffix } from "./diff.ts";
import { headerOf, promptTexts, thinkingOff, thinkingOn } from "./header.ts";
import { call, names, words } from "./probes.ts";
import type { Prober } from "./prober.ts";
import { around, closingOf as reasoningClosing, mirrorOf, openedBy, openingOf, type Prefill, prefillOf, spaceAfter } from "./reasoning.ts";
import { findSpeaker, type Place, type Speaker, turnAt } from "./speaker.ts";
import { typedValues } from "./taggedCalls.ts";
import { closingOf } from "./turnEnd.ts";
import type { Turn } from "./turn.ts";

export interface FoundLayout {
  readonly layout: ResponseLayout;
  readonly speaker: Speaker;
  /** The text that opens a turn in a prompt. */
  readonly header: string;
  /** What prompts open behind it, with thinking as by default, on and off. */
  readonly opened: { readonly plain: string; readonly on: string; readonly off: string };
  readonly prefill: { readonly plain: Prefill; readonly on: Prefill; readonly off: Prefill };
  /** Texts of what ends a turn. */
  readonly stops: readonly string[];
}

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

/** What a template's renders show of how a response is written. `ends`: special tokens that may end a turn. */
export function findLayout(probe: Prober, ends: readonly string[]): FoundLayout {
  const speaker = findSpeaker(probe, said.reasoned, said.call);
  const place = (what: keyof typeof said) => speaker.place(said[what], { tools: what.toLowerCase().includes("call") });
  const places = Object.keys(said).flatMap((what) => place(what as keyof typeof said) ?? []);
  const prompts = promptTexts(speaker);
  const header = withoutPrefill(
    withoutOpening(headerOf(prompts, places), [place("reasoned"), place("reasonedCall")]),
    [...Object.values(prompts), ...places.map(({ trace, base }) => trace.text.slice(base))],
  );
  const turn = (what: keyof typeof said): Turn | null => {
    const found = place(what);
    return found && turnAt(found, header);
  };

  const content = turn("content");
  const aroundContent = content && around(content, "content");
  const closing = closingOf(endInHistory(speaker, header, aroundContent?.after ?? ""), ends);
  const stops = [...new Set([closing.token, ...ends.filter((end) => aroundContent?.after.includes(end))])].filter((end) => end !== null);

  const reasoned = turn("reasoned");
  const reasonedCall = turn("reasonedCall");
  const opened = {
    plain: openedText(speaker, header, prompts.plain, {}),
    on: openedText(speaker, header, prompts.on, thinkingOn),
    off: openedText(speaker, header, prompts.off, thinkingOff),
  };
  const withContent = turn("contentCall");
  const reasoning = findReasoning({ reasoned, reasonedCall, withoutReasoning: aroundContent?.before ?? "", opened, header });
  const wrapping = findContent({ aroundContent, reasoned, withContent, reasoning, before: closing.before });
  // What closes content that nothing opens ends the turn.
  const closes = wrapping.open === "" ? segments(wrapping.close).find(({ kind }) => kind === "marker") : undefined;
  if (closes) stops.unshift(closes.text);
  const contentLayout: ContentLayout = closes ? { ...wrapping, mode: "plain", close: "" } : wrapping;
  const before = closes ? closing.before.slice(0, closing.before.indexOf(closes.text)) : closing.before;
  const end = contentLayout.close === "" ? before : before.slice(before.indexOf(contentLayout.close) + contentLayout.close.length);
  const one = turn("call");
  const found = one && findCalls(one, { turn, speaker, header, withContent, reasoning, content: contentLayout, stops, ends, end });
  const shift = found === null ? "" : promptedOpening(found, header);
  const calls = found && (shift === "" ? found : { ...found, lead: shift, separator: shift, call: found.call.slice(1) });
  const layout: ResponseLayout = { reasoning, content: contentLayout, calls, end, glue: shift === "" ? [] : [shift] };
  const prefill = {
    plain: prefillOf(opened.plain, reasoning),
    on: prefillOf(opened.on, reasoning),
    off: prefillOf(opened.off, reasoning),
  };
  return { layout, speaker, header: header.slice(0, header.length - shift.length), opened: shifted(opened, shift), prefill, stops };
}

/** What opens a call, where every prompt has written that already (`>>>`). */
function promptedOpening({ call: elements, section }: CallsLayout, header: string): string {
  const [first] = elements;
  return section === null && first?.kind === "text" && header.endsWith(first.text) ? first.text : "";
}

function shifted(opened: FoundLayout["opened"], shift: string): FoundLayout["opened"] {
  return { plain: shift + opened.plain, on: shift + opened.on, off: shift + opened.off };
}

/** What a prompt has written behind the header; from its end where `add_generation_prompt` makes no difference. */
function openedText(speaker: Speaker, header: string, prompt: string, variables: object): string {
  if (prompt !== "" && prompt.includes(header)) return openedBy(prompt, header);
  const plain = speaker.ask({ variables: variables as Record<string, unknown>, prompt: true }) ?? "";
  const place = speaker.place({ content: words.content }, { variables: variables as Record<string, unknown> });
  return place ? plain.slice(wholePrefix(plain, place.trace.text).length) : "";
}

interface ReasoningFacts {
  readonly reasoned: Turn | null;
  readonly reasonedCall: Turn | null;
  /** What stands before content without reasoning. */
  readonly withoutReasoning: string;
  readonly opened: FoundLayout["opened"];
  readonly header: string;
}

function findReasoning({ reasoned, reasonedCall, withoutReasoning, opened, header }: ReasoningFacts): ReasoningLayout | null {
  const inContent = reasoned && around(reasoned, "reasoning");
  const inCall = reasonedCall && around(reasonedCall, "reasoning");
  const shown = inContent ?? inCall;
  if (!shown) return fromPrompt(opened);
  const next = inContent && inCall ? inCall.after : null;
  const own = shown.before;
  const open = own.trim() === "" ? artefact(opened) + own : own;
  const close = inContent
    ? reasoningClosing(open, shown.after, next, header)
    : reasoningClosing(open, shown.after, null, header);
  const core = close.trim();
  const emptyEnd = core === "" ? -1 : withoutReasoning.indexOf(core);
  const rest = withoutReasoning.slice(emptyEnd + core.length);
  const empty = emptyEnd < 0 ? "" : withoutReasoning.slice(0, emptyEnd + core.length) + spaceAfter(rest);
  return {
    mode: inContent ? "tag_based" : "tools_only",
    open,
    close,
    ...(empty === "" ? {} : { empty }),
  };
}

/** A prompt may open reasoning in every case; that is no part of the header then. */
function withoutOpening(header: string, places: readonly (Place | null)[]): string {
  for (const place of places) {
    const turn = place && turnAt(place, header);
    const shown = turn && around(turn, "reasoning");
    if (!shown) continue;
    const opening = openingOf(header + shown.before, shown.after);
    if (opening.length > shown.before.length) return header.slice(0, header.length - (opening.length - shown.before.length));
  }
  return header;
}

/** Nor is a marker that every prompt writes, and some close at once. */
function withoutPrefill(header: string, texts: readonly string[]): string {
  const marker = segments(header.trimEnd()).at(-1);
  const close = marker?.kind === "marker" ? mirrorOf(marker.text) : null;
  if (!marker || close === null) return header;
  const start = header.lastIndexOf(marker.text);
  const isClosed = texts.some((text) => {
    const at = text.indexOf(header.slice(start));
    return at >= 0 && text.slice(at + header.length - start).trimStart().startsWith(close);
  });
  return isClosed ? header.slice(0, start) : header;
}

/** What follows content in the midst of a conversation, where the last turn's end is not another one. */
function endInHistory(speaker: Speaker, header: string, last: string): string {
  const place = speaker.place({ content: words.content }, { followed: true });
  const turn = place && turnAt(place, header);
  const shared = wholePrefix(last, (turn && around(turn, "content")?.after) ?? last);
  return shared.trim() === "" ? last : shared;
}

/** What the prompt writes where the history has nothing: it is no part of what the model says. */
function artefact({ plain, on }: { readonly plain: string; readonly on: string }): string {
  return on.trim() === "" ? plain : on;
}

/** Reasoning that the history never shows: the prompt opens it, or opens and closes it. */
function fromPrompt({ plain, on, off }: { readonly plain: string; readonly on: string; readonly off: string }): ReasoningLayout | null {
  for (const text of [plain, on, off]) {
    const markers = segments(text).filter(({ kind }) => kind === "marker");
    const open = markers[0]?.text;
    if (open === undefined) continue;
    const close = markers.length > 1 ? markers.at(-1)!.text : mirrorOf(open);
    if (close === null || close === open) continue;
    const space = spaceAfter(text.slice(text.indexOf(open) + open.length));
    if (markers.length === 1) return { mode: "tag_based", open: open + space, close };
    // Of the lines between two markers that hold nothing the reasoning stands in the middle.
    const half = space === "" ? "" : space.slice(0, Math.ceil(space.length / 2));
    const after = spaceAfter(text.slice(text.lastIndexOf(close) + close.length));
    return { mode: "tag_based", open: open + half, close: space.slice(half.length) + close + after };
  }
  return null;
}

interface ContentFacts {
  readonly aroundContent: { readonly before: string; readonly after: string } | null;
  readonly reasoned: Turn | null;
  readonly withContent: Turn | null;
  readonly reasoning: ReasoningLayout | null;
  /** What stands between content and the token that ends the turn. */
  readonly before: string;
}

function findContent({ aroundContent, reasoned, withContent, reasoning, before }: ContentFacts): ContentLayout {
  const gap = withContent && contentGap(withContent);
  const flags = {
    ...(gap?.kind === "after" ? { afterCalls: true } : {}),
    ...(withContent && gap === null ? { droppedWithCalls: true } : {}),
  };
  const plain: ContentLayout = { mode: "plain", open: "", close: "", ...flags };
  if (!aroundContent) return plain;
  const behindReasoning = reasoned && reasoning ? around(reasoned, "content")?.before ?? null : null;
  const afterClose = behindReasoning === null || reasoning === null ? null : behindReasoning.slice(behindReasoning.indexOf(reasoning.close) + reasoning.close.length);
  const close = hasMarker(before) ? (gap?.kind === "before" && hasMarker(wholePrefix(before, gap.text)) ? wholePrefix(before, gap.text) : before) : "";
  const alone = aroundContent.before.slice(reasoning?.empty?.length ?? 0);
  let open = afterClose !== null && reasoning?.mode === "tag_based" ? wholeSuffix(afterClose, alone) : alone;
  if (!hasMarker(open) && close === "" && open.trim() === "") open = "";
  if (open === "" && close === "") return plain;
  return { mode: "always_wrapped", open, close, ...flags };
}

const hasMarker = (text: string): boolean => segments(text).some(({ kind }) => kind === "marker");

function contentGap({ pieces }: Turn): { readonly kind: "before" | "after"; readonly text: string } | null {
  const content = pieces.findLastIndex(({ slot }) => slot?.kind === "content");
  const first = pieces.findIndex(({ slot }) => slot !== null && slot.call === 0);
  if (content < 0 || first < 0) return null;
  if (content > first) return { kind: "after", text: "" };
  const text = pieces.slice(content + 1, first).map((piece) => piece.text).join("");
  return { kind: "before", text };
}

interface CallFacts {
  readonly turn: (what: keyof typeof said) => Turn | null;
  readonly speaker: Speaker;
  readonly header: string;
  readonly withContent: Turn | null;
  readonly reasoning: ReasoningLayout | null;
  readonly content: ContentLayout;
  readonly stops: readonly string[];
  readonly ends: readonly string[];
  readonly end: string;
}

function findCalls(one: Turn, { turn, speaker, header, withContent, reasoning, content, stops, ends, end }: CallFacts): CallsLayout | null {
  const two = turn("calls");
  const hasSecond = two?.pieces.some(({ slot }) => slot?.call === 1) === true;
  const gap = withContent && contentGap(withContent);
  const leads = [reasoning?.empty || (reasoning ? reasoning.open.trim() + reasoning.close.trim() : ""), content.mode === "plain" ? "" : content.open + content.close].filter((text) => text !== "");
  const turns: CallTurns = {
    calls: speaker.manner.namingIds
      ? [{ ...firstCall, id: `functions.${firstCall.function.name}:0` }, { ...secondCall, id: `functions.${secondCall.function.name}:1` }]
      : [firstCall, secondCall],
    one,
    two: hasSecond ? two : null,
    withContent: gap?.kind === "before" ? withContent : null,
    typed: typedValues.map(([, value]) => {
      const place = speaker.place({ calls: [call(0, { [names.keys[0]]: value })] }, { tools: true });
      return place && turnAt(place, header);
    }),
    lead: ({ text }) =>
      leads.reduce((at, lead) => {
        const written = [lead, lead.trimEnd()].find((one) => text.startsWith(one, at));
        return at + (written?.length ?? 0);
      }, 0),
    ends: [...new Set([...stops, ...ends])],
    end,
  };
  return layoutByUnits(turns, objectUnit) ?? layoutByUnits(turns, jsonUnit) ?? layoutByTags(turns);
}
