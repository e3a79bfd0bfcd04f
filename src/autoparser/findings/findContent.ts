import type { ContentLayout, ReasoningLayout } from "../../parse/layout/layout.ts";
import type { Turn } from "../probe/turn.ts";
import { segments, wholePrefix, wholeSuffix } from "../text/diff.ts";
import { type Around, around } from "./reasoning.ts";

export interface ContentFacts {
  /** Content alone. */
  readonly aroundContent: Around | null;
  readonly reasoned: Turn | null;
  readonly withContent: Turn | null;
  /** A call without content. */
  readonly call: Turn | null;
  readonly reasoning: ReasoningLayout | null;
  /** What stands between content and the token that ends the turn. */
  readonly before: string;
}

/** What stands around content in every turn, and what becomes of it beside calls. */
export function findContent(facts: ContentFacts): ContentLayout {
  const { aroundContent, withContent, call, before } = facts;
  const gap = withContent && contentGap(withContent);
  const flags = {
    ...(gap?.kind === "after" ? { afterCalls: true } : {}),
    ...(withContent && gap === null ? { droppedWithCalls: true } : {}),
  };
  const open = aroundContent ? openingOf(facts, aroundContent) : "";
  const shared = gap?.kind === "before" ? wholePrefix(before, gap.text) : "";
  const close = hasMarker(shared) ? shared : hasMarker(before) ? before : "";
  // What closes content that nothing opens belongs to the turn's end.
  if (open === "" || (open.trim() === "" && close === "")) return { mode: "plain", open: "", close: "", ...flags };
  const wrapsEmpty = call?.text.includes(open + close) ? { wrapsEmpty: true } : {};
  return { mode: "always_wrapped", open, close, ...flags, ...wrapsEmpty };
}

/** What is written before content, whether or not reasoning comes before it. */
function openingOf({ reasoned, reasoning }: ContentFacts, alone: Around): string {
  const own = alone.before.slice(reasoning?.empty?.length ?? 0);
  const behind = reasoned && around(reasoned, "content")?.before;
  if (!behind || reasoning?.mode !== "tag_based") return own;
  return wholeSuffix(behind.slice(behind.indexOf(reasoning.close) + reasoning.close.length), own);
}

const hasMarker = (text: string): boolean => segments(text).some(({ kind }) => kind === "marker");

/** Where content stands to calls, and the text between the two; null: one of them is not written. */
export function contentGap({ pieces }: Turn): { readonly kind: "before" | "after"; readonly text: string } | null {
  const content = pieces.findLastIndex(({ slot }) => slot?.kind === "content");
  const first = pieces.findIndex(({ slot }) => slot !== null && slot.call === 0);
  if (content < 0 || first < 0) return null;
  if (content > first) return { kind: "after", text: "" };
  const text = pieces
    .slice(content + 1, first)
    .map((piece) => piece.text)
    .join("");
  return { kind: "before", text };
}
