import type { ReasoningLayout } from "../../parse/layout/layout.ts";
import type { Turn } from "../probe/turn.ts";
import { commonPrefix, type Segment, segments, wholePrefix } from "../text/diff.ts";
import { markerWord } from "../text/markerWord.ts";

/** Text of a turn around a slot. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

/** The template's own text before the first and behind the last piece of a kind, up to what else is said. */
export function around(turn: Turn, kind: "content" | "reasoning"): Around | null {
  const first = turn.pieces.findIndex(({ slot }) => slot?.kind === kind);
  if (first < 0) return null;
  const last = turn.pieces.findLastIndex(({ slot }) => slot?.kind === kind);
  const before = turn.pieces.slice(0, first).filter(({ slot }) => slot === null);
  let end = last + 1;
  while (end < turn.pieces.length && turn.pieces[end]!.slot === null) end++;
  const after = turn.pieces.slice(last + 1, end);
  return { before: textOf(before), after: textOf(after) };
}

const textOf = (pieces: Turn["pieces"]): string => pieces.map(({ text }) => text).join("");

/**
 * How much of the text before reasoning opens it, where a prompt writes that too: the marker whose word the closing one repeats
 * (`<think>`, `</think>`); or all that is repeated and the marker before it (`<|open|>think<|sep|>`, `<|close|>think<|sep|>`).
 */
export function openingOf(before: string, after: string): string {
  const opening = segments(before.trimEnd());
  const closing = segments(after);
  const last = opening.at(-1);
  if (last === undefined || last.kind === "text") return "";
  const space = spaceBefore(before);
  const repeated = repetition(opening, closing);
  if (repeated !== null) return textOfSegments(opening.slice(-repeated)) + space;
  const isClosed = closing.some(({ kind, text }) => kind === "marker" && markerWord(text) === markerWord(last.text));
  return isClosed ? last.text + space : "";
}

/** How many segments at the end of an opening text its closing text repeats, the marker before them counted. */
function repetition(opening: readonly Segment[], closing: readonly Segment[]): number | null {
  const same = closing.findIndex(({ text }) => text === opening.at(-1)?.text);
  if (same <= 0) return null;
  let count = 1;
  while (count <= same && opening.at(-1 - count)?.text === closing[same - count]?.text) count++;
  return count > 1 ? count + 1 : null;
}

/**
 * Where what closes reasoning ends, in the text between reasoning and content: behind the marker that closes it and the white
 * space there. `next`: the same text before calls.
 */
export function closingOf(open: string, between: string, next: string | null, header: string): string {
  const parts = segments(between);
  const opening = segments(open.trimEnd());
  const repeated = repetition(opening, parts);
  if (repeated !== null)
    return withSpace(
      parts,
      parts.findIndex(({ text }) => text === opening.at(-1)!.text),
    );
  const again = header.trim() === "" ? -1 : between.indexOf(header);
  if (again >= 0) return between.slice(0, again + header.length);
  const word = markerWord(opening.findLast(({ kind }) => kind === "marker")?.text ?? "");
  const own = parts.findIndex(({ kind, text }) => kind === "marker" && word !== "" && markerWord(text) === word);
  if (own >= 0) return withSpace(parts, own);
  const shared = next === null ? between : wholePrefix(between, next);
  return shared.trim() === "" ? between : shared + spaceAfter(between.slice(shared.length));
}

const textOfSegments = (parts: readonly Segment[]): string => parts.map(({ text }) => text).join("");

function withSpace(parts: readonly Segment[], index: number): string {
  return textOfSegments(parts.slice(0, index + 1)) + spaceAfter(textOfSegments(parts.slice(index + 1)));
}

export const spaceAfter = (text: string): string => text.slice(0, text.length - text.trimStart().length);
export const spaceBefore = (text: string): string => text.slice(text.trimEnd().length);

/** The marker that closes what this one opens, by the ways in which formats write the two. */
export function mirrorOf(open: string): string | null {
  const marker = open.trim();
  if (/^<[^<>/|]+>$/.test(marker)) return `</${marker.slice(1)}`;
  if (/^\[[^[\]/]+\]$/.test(marker)) return `[/${marker.slice(1)}`;
  const pairs: readonly (readonly [RegExp, string])[] = [
    [/START/, "END"],
    [/start/, "end"],
    [/BEGIN/, "END"],
    [/begin/, "end"],
    [/open/, "close"],
  ];
  for (const [pattern, replacement] of pairs) {
    if (pattern.test(marker)) return marker.replace(pattern, replacement);
  }
  if (/^<\|[^|<>]+>$/.test(marker)) return `<${marker.slice(2, -1)}|>`;
  return null;
}

/** What of a prompt stands behind the header. */
export function openedBy(prompt: string, header: string): string {
  const at = header === "" ? -1 : prompt.lastIndexOf(header);
  return at < 0 ? prompt.slice(commonPrefix(prompt, header).length) : prompt.slice(at + header.length);
}

export type Prefill = "open" | "closed" | "none" | "artefact";

/** What a prompt has done about reasoning. */
export function prefillOf(opened: string, reasoning: ReasoningLayout | null): Prefill {
  if (reasoning === null || opened.trim() === "") return "none";
  const close = reasoning.close.trim();
  if (close !== "" && opened.includes(close)) return "closed";
  const opens = [reasoning.open, ...(reasoning.alsoOpens ?? [])]
    .map((text) => text.trim())
    .filter((text) => text !== "");
  if (!opens.some((text) => opened.includes(text))) return "none";
  return reasoning.open.trim() !== "" && opened.includes(reasoning.open.trim()) ? "open" : "artefact";
}
