import { leadingMarker } from "../../autoparser/grammar/leadingMarker.ts";
import { isPhrase, otherTexts } from "../../autoparser/grammar/triggers.ts";
import type { CallsLayout, ReasoningLayout, ResponseLayout } from "../../parse/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import type { ReasoningMarkers, ToolCallMarkers } from "./types.ts";

/** What of a tokenizer it takes to choose markers. */
export type MarkerTokens = Pick<Tokenizer, "addedTokens">;

/**
 * The texts around one call; null where no text of its own begins it. `stop`: what ends the turn, and with it a call that nothing
 * else ends.
 */
export function callMarkers(
  layout: ResponseLayout,
  calls: CallsLayout,
  { tokenizer, stop }: { readonly tokenizer: MarkerTokens; readonly stop: string },
): ToolCallMarkers | null {
  const { opening, closing } = callEdges(calls);
  const start = startMarker(opening, layout, tokenizer);
  // A bracket alone would end a call at the first list in it.
  const end = hasWord(closing) ? endMarker(closing, calls, tokenizer) : stop;
  if (start === "" || end === "") return null;
  return { start: inWholeTokens(start, tokenizer), end: inWholeTokens(end, tokenizer) };
}

/** The texts that a call begins and ends with, or all calls; where it begins with its name, what stands behind that. */
function callEdges({ call, section }: CallsLayout): { readonly opening: string; readonly closing: string } {
  if (call[0]?.kind !== "text" && section !== null) return { opening: section.open, closing: section.close };
  const first = call.find(({ kind }) => kind === "text" || kind === "tagged");
  const last = call.at(-1);
  return {
    opening: first?.kind === "text" ? first.text : "",
    closing: last?.kind === "text" ? last.text : "",
  };
}

const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Control tokens and markers of their own, longest first. */
const tokensIn = (text: string, { addedTokens }: MarkerTokens): readonly string[] =>
  addedTokens
    .map(({ content }) => content)
    .filter((content) => content !== "" && text.includes(content))
    .sort((a, b) => b.length - a.length);

/** The first marker where it begins nothing else, or else the whole text. */
function startMarker(opening: string, layout: ResponseLayout, tokenizer: MarkerTokens): string {
  // A blank before a word belongs to the word's token.
  const text = opening
    .trimEnd()
    .replace(/^\s*?(?= ?\S)/, "")
    .replace(/^ (?!\w)/, "");
  const others = otherTexts(layout, []);
  const isSure = (one: string) => one !== "" && !others.some((other) => other.includes(one));
  const marker = leadingMarker(text, tokensIn(text, tokenizer));
  if (isSure(marker) && !isPhrase(text.slice(marker.length))) return marker;
  return isSure(text) ? text : "";
}

/** The last marker, where it stands nowhere else in a call, or else the last word. */
function endMarker(closing: string, { call }: CallsLayout, tokenizer: MarkerTokens): string {
  const word = closing.trim().split(/\s+/).at(-1)!;
  const token = tokensIn(word, tokenizer).find((one) => word.endsWith(one));
  const written = JSON.stringify(call);
  const escaped = token === undefined ? "" : JSON.stringify(token).slice(1, -1);
  return token !== undefined && written.split(escaped).length <= 2 ? token : word;
}

/**
 * Markers are found by ids, and what is no token of its own may share its last one with what follows (`>` and a line break): such
 * a marker ends with its last word.
 */
function inWholeTokens(text: string, tokenizer: MarkerTokens): string {
  if (tokensIn(text, tokenizer).some((one) => text.endsWith(one))) return text;
  return hasWord(text) ? text.replace(/[^\p{L}\p{N}]+$/u, "") : text;
}

/** What stands around reasoning. Its end is written whole, because it is also put in where a budget is used up. */
export function reasoningMarkers(
  { reasoning, glue }: Pick<ResponseLayout, "reasoning" | "glue">,
  { opened, tokenizer }: { readonly opened: boolean; readonly tokenizer: MarkerTokens },
): ReasoningMarkers | null {
  if (reasoning === null || reasoning.close.trim() === "") return null;
  const [start = null, ...alsoStarts] = opensOf(reasoning).map((text) => inWholeTokens(text, tokenizer));
  return {
    start,
    ...(alsoStarts.length > 0 ? { alsoStarts } : {}),
    end: withoutGlue(reasoning.close.trim(), glue),
    opened,
  };
}

const opensOf = ({ open, alsoOpens = [] }: ReasoningLayout): readonly string[] => [
  ...new Set([open, ...alsoOpens].map((text) => text.trim()).filter((text) => text !== "")),
];

/** What closes reasoning, without what begins the next message of the turn (`<|end|><|start|>assistant`). */
function withoutGlue(close: string, glue: readonly string[]): string {
  const next = glue.map((text) => text.trim()).find((text) => text !== close && text !== "" && close.endsWith(text));
  if (next !== undefined) return close.slice(0, -next.length).trim();
  return /^(<[^<>\s]+>)<[^<>\s]+>\w+$/.exec(close)?.[1] ?? close;
}
