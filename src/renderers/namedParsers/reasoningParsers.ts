import { textMarker } from "../../format/index.ts";
import type { ReasoningGrammar } from "../../parse/index.ts";
import type { ReasoningParserFactory } from "./types.ts";

/**
 * Reasoning between two markers, all white space kept, because what a template writes around them is not known. The first
 * closing marker ends it; what looks like a call before that is part of it.
 */
const between =
  (open: string, close: string, more: Partial<ReasoningGrammar> = {}): ReasoningParserFactory =>
  ({ tokenizer }) => ({
    open: textMarker(tokenizer, open),
    close: textMarker(tokenizer, close),
    padding: "",
    separator: "",
    whenUnknown: "closed",
    endedByCall: false,
    exact: true,
    ...more,
  });

/**
 * The reasoning parsers of this package, by name. With `deepseek-r1` a turn begins in its reasoning, also where neither the
 * prompt nor the model writes the opening marker; with `none` nothing is reasoning.
 */
export const reasoningParsers: ReadonlyMap<string, ReasoningParserFactory> = new Map<string, ReasoningParserFactory>([
  ["think", between("<think>", "</think>")],
  ["deepseek-r1", between("<think>", "</think>", { implied: "", whenUnknown: "open" })],
  ["mistral", between("[THINK]", "[/THINK]")],
  ["seed-oss", between("<seed:think>", "</seed:think>")],
  ["none", () => null],
]);
