import type { ReasoningLayout } from "../../parse/layout/layout.ts";
import { words } from "../probe/probes.ts";
import type { Turn } from "../probe/turn.ts";
import type { Opened } from "../probe/types.ts";
import { segments } from "../text/diff.ts";
import { type Around, around, closingOf, mirrorOf, spaceAfter } from "./reasoning.ts";

export interface ReasoningFacts {
  readonly reasoned: Turn | null;
  readonly reasonedCall: Turn | null;
  /** What stands around content without reasoning. */
  readonly aroundContent: Around;
  readonly opened: Opened;
  readonly header: string;
}

/** Reasoning as the history shows it, or else as the prompt opens it. */
export function findReasoning({
  reasoned,
  reasonedCall,
  aroundContent,
  opened,
  header,
}: ReasoningFacts): ReasoningLayout | null {
  const withoutReasoning = aroundContent.before;
  const inContent = reasoned && around(reasoned, "reasoning");
  const inCall = reasonedCall && around(reasonedCall, "reasoning");
  const shown = inContent ?? inCall;
  if (!shown) return fromPrompt(opened, aroundContent);
  const next = inContent && inCall ? inCall.after : null;
  const own = shown.before;
  const open = own.trim() === "" ? artefact(opened) + own : own;
  const close = closingOf(open, shown.after, next, header);
  const core = close.trim();
  const emptyEnd = core === "" ? -1 : withoutReasoning.indexOf(core);
  const rest = withoutReasoning.slice(emptyEnd + core.length);
  const empty = emptyEnd < 0 ? "" : withoutReasoning.slice(0, emptyEnd + core.length) + spaceAfter(rest);
  return {
    mode: inContent ? "tag_based" : "tools_only",
    open,
    close,
    // Where the history writes no opening marker, a response may begin in its reasoning.
    ...(own.trim() === "" ? { implied: true } : {}),
    ...(empty === "" ? {} : { empty }),
  };
}

/** What the prompt writes where the history has nothing: it is no part of what the model says. */
function artefact({ plain, on }: Opened): string {
  return on.trim() === "" ? plain : on;
}

/**
 * Reasoning that the history never shows: the prompt opens it, or opens and closes it. What stands around content, too, are the
 * content's own markers.
 */
function fromPrompt({ plain, on, off }: Opened, content: Around): ReasoningLayout | null {
  for (const text of [plain, on, off]) {
    const markers = segments(text).filter(({ kind }) => kind === "marker");
    const open = markers[0]?.text;
    if (open === undefined) continue;
    const close = markers.length > 1 ? markers.at(-1)!.text : mirrorOf(open);
    if (close === null || close === open) continue;
    if (content.before.includes(open) && content.after.includes(close)) continue;
    const space = spaceAfter(text.slice(text.indexOf(open) + open.length));
    if (markers.length === 1) return { mode: "tag_based", open: open + space, close };
    // Of the lines between two markers that hold nothing the reasoning stands in the middle.
    const half = space === "" ? "" : space.slice(0, Math.ceil(space.length / 2));
    const after = spaceAfter(text.slice(text.lastIndexOf(close) + close.length));
    return { mode: "tag_based", open: open + half, close: space.slice(half.length) + close + after };
  }
  return null;
}

/** The markers in use, for templates that only take them away. */
const MARKERS: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<reasoning>", "</reasoning>"],
  ["<thought>", "</thought>"],
  ["[THINK]", "[/THINK]"],
];

/** Reasoning that neither history nor prompt writes, but which the history takes out of content (`split('</think>')`). */
export function reasoningFromContent(write: (content: string) => string | null): ReasoningLayout | null {
  for (const [open, close] of MARKERS) {
    const text = write(`${open}${words.reasoning}${close}${words.content}`);
    if (text === null || !text.includes(words.content) || text.includes(words.reasoning)) continue;
    return { mode: "tag_based", open, close };
  }
  return null;
}
