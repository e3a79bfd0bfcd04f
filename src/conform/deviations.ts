import { readFileSync } from "node:fs";
import { TitoError } from "../errors.ts";
import { type Message, pythonStrip } from "../messages/index.ts";
import type { Renderer } from "../renderers/index.ts";
import { messagesOf, type RecordedCase, toolsOf } from "./cases.ts";
import { equalRows, type Outcome } from "./outcome.ts";
import { runParse } from "./parse.ts";

/** A declared deviation: where we do otherwise than the recorded system, what holds instead, and why. */
export interface Deviation {
  readonly name: string;
  readonly family: string;
  readonly kind: string;
  /** Regular expression on the scenario. */
  readonly scenario: string;
  /** Name of a rule in `rules`, which speaks of the case's input and checks the result. */
  readonly rule: string;
  readonly why: string;
}

/** Does the rule apply to this input, and does our result keep it? */
type Rule = (recorded: RecordedCase, outcome: Outcome, renderer: Renderer | null) => boolean;

const rules: Readonly<Record<string, Rule>> = {
  /** Content that is a list of text parts, null or missing renders as the same text in one string does. */
  "content is its text": (recorded, outcome, renderer) => {
    const messages = messagesOf(recorded);
    if (!renderer || outcome.outcome !== "failed" || messages.every(hasPlainContent)) return false;
    const ids = (outcome.actual as { token_ids: number[] }).token_ids;
    const options = { tools: toolsOf(recorded), addGenerationPrompt: Boolean(recorded.plain.add_generation_prompt) };
    return equalRows(renderer.renderIds(messages.map(plainContent), options), ids);
  },
  /** A boolean field of a config takes `true` and `false`, and no text or number that another language reads as one. */
  "booleans are not coerced": (recorded, outcome) => {
    const code =
      (outcome.outcome === "failed" && (outcome.actual as { error?: { code: string } })?.error?.code) || null;
    const fields: Record<string, unknown> = recorded.plain.fields ?? {};
    return (
      code === "invalid_config" &&
      Object.entries(fields).some(
        ([name, value]) => typeof recorded.plain.expect?.[name] === "boolean" && typeof value !== "boolean",
      )
    );
  },
  /** An opening marker inside open reasoning is part of the reasoning's text. */
  "reasoning keeps its text": (recorded, outcome, renderer) => {
    const marker = renderer?.tokenizer.tokenToId("<think>");
    const ids: number[] = recorded.plain.completion_ids ?? [];
    if (!renderer || marker === undefined || !ids.includes(marker)) return false;
    const reasoning = actualFields(outcome).reasoning_content ?? "";
    const { reasoning_content: expected } = recorded.plain.expect;
    const isKept =
      reasoning !== expected && pythonStrip(reasoning.replaceAll("<think>", "")) === pythonStrip(expected ?? "");
    return isKept && parsesWith(recorded, renderer, { reasoning_content: reasoning });
  },
  /** Words between and after calls are content. */
  "words after a call are content": (recorded, outcome, renderer) => {
    const { content = "", tool_calls: calls = [] } = actualFields(outcome);
    const { content: expected } = recorded.plain.expect;
    const isLonger = content.length > expected.length && pythonStrip(content).startsWith(pythonStrip(expected));
    return renderer !== null && calls.length > 0 && isLonger && parsesWith(recorded, renderer, { content });
  },
};

interface ParsedFields {
  readonly content?: string;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly unknown[];
}

const actualFields = (outcome: Outcome): ParsedFields =>
  outcome.outcome === "failed" ? ((outcome.actual ?? {}) as ParsedFields) : {};

/** Would the case pass if these fields were expected? */
function parsesWith(recorded: RecordedCase, renderer: Renderer, fields: ParsedFields): boolean {
  const plain = { ...recorded.plain, expect: { ...recorded.plain.expect, ...fields } };
  return runParse({ ...recorded, plain }, renderer).outcome === "passed";
}

const hasPlainContent = (message: Message): boolean => typeof message.content === "string";

function plainContent(message: Message): Message {
  const parts = Array.isArray(message.content) ? message.content : [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return hasPlainContent(message) ? message : { ...message, content: text };
}

export function readDeviations(file: string): Deviation[] {
  const deviations = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Deviation);
  for (const { name, rule } of deviations) {
    if (Object.hasOwn(rules, rule)) continue;
    throw new TitoError(
      "usage",
      `Deviation "${name}" of ${file} names the rule "${rule}", which does not exist. Rules: ${Object.keys(rules).join("; ")}.`,
    );
  }
  return deviations;
}

/** A failure that a declared deviation covers, checked by its rule, deviates; everything else stays what it is. */
export function applyDeviations(
  deviations: readonly Deviation[],
  recorded: RecordedCase,
  outcome: Outcome,
  renderer: Renderer | null,
): Outcome {
  if (outcome.outcome !== "failed") return outcome;
  const cover = deviations.find(
    (one) =>
      one.kind === recorded.kind &&
      (one.family === "*" || one.family === recorded.family) &&
      new RegExp(one.scenario).test(recorded.scenario) &&
      rules[one.rule](recorded, outcome, renderer),
  );
  return cover ? { outcome: "deviates", via: cover.name, actual: outcome.actual } : outcome;
}
