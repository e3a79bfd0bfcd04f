import type { ContentLayout, ReasoningLayout } from "../../parse/layout/layout.ts";
import type { Turn } from "../probe/turn.ts";
import { segments, wholePrefix, wholeSuffix } from "../text/diff.ts";
import { type Around, around } from "./reasoning.ts";

export interface ContentFacts {
  readonly aroundContent: Around | null;
  readonly reasoned: Turn | null;
  readonly withContent: Turn | null;
  readonly reasoning: ReasoningLayout | null;
  /** What stands between content and the token that ends the turn. */
  readonly before: string;
}

export function findContent({ aroundContent, reasoned, withContent, reasoning, before }: ContentFacts): ContentLayout {
  const gap = withContent && contentGap(withContent);
  const flags = {
    ...(gap?.kind === "after" ? { afterCalls: true } : {}),
    ...(withContent && gap === null ? { droppedWithCalls: true } : {}),
  };
  const plain: ContentLayout = { mode: "plain", open: "", close: "", ...flags };
  if (!aroundContent) return plain;
  const behindReasoning = reasoned && reasoning ? (around(reasoned, "content")?.before ?? null) : null;
  const afterClose =
    behindReasoning === null || reasoning === null
      ? null
      : behindReasoning.slice(behindReasoning.indexOf(reasoning.close) + reasoning.close.length);
  const close = hasMarker(before)
    ? gap?.kind === "before" && hasMarker(wholePrefix(before, gap.text))
      ? wholePrefix(before, gap.text)
      : before
    : "";
  const alone = aroundContent.before.slice(reasoning?.empty?.length ?? 0);
  let open = afterClose !== null && reasoning?.mode === "tag_based" ? wholeSuffix(afterClose, alone) : alone;
  if (!hasMarker(open) && close === "" && open.trim() === "") open = "";
  if (open === "" && close === "") return plain;
  return { mode: "always_wrapped", open, close, ...flags };
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
