import { readFileSync } from "node:fs";
import { TitoError } from "../errors.ts";
import { type JsonObject, type JsonValue, type Message, pythonStrip } from "../messages/index.ts";
import type { Renderer } from "../renderers/index.ts";
import { messagesOf, type RecordedCase, toolsOf } from "./cases.ts";
import { equalRows, type Outcome } from "./outcome.ts";
import { runParse } from "./parse.ts";
import { templateParseRules } from "./templateParseRules.ts";

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
    const options = { tools: toolsOf(recorded), addGenerationPrompt: Boolean(recorded.plain.add_generation_prompt) };
    // Where an error is recorded, what was rendered instead is not.
    const rendered = outcome.actual ?? { token_ids: renderer.renderIds(messages, options) };
    const ids = (rendered as { token_ids: ArrayLike<number> }).token_ids;
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
  /** With thinking off, turns before the last query have no empty thinking block; all else is as recorded. */
  "no empty thinking in earlier turns": (recorded, outcome, renderer) => {
    const { token_ids: ids } = renderedIds(outcome);
    if (!renderer || !ids || (renderer.config as { enableThinking?: boolean }).enableThinking !== false) return false;
    const text = (some: readonly number[]) =>
      renderer.tokenizer.decode(some).replaceAll("assistant\n<think>\n\n</think>\n\n", "assistant\n");
    return text(ids) === text(recorded.plain.expect?.token_ids ?? []);
  },
  /** A completion that goes on after a stop is refused. */
  "ids follow a stop": ({ plain }, outcome, renderer) => {
    const stops = renderer?.stopTokenIds ?? [];
    const stop: number = plain.prev_completion_ids?.findIndex((id: number) => stops.includes(id)) ?? -1;
    const refusal = outcome.outcome === "failed" ? (outcome.actual as { reason?: string } | undefined)?.reason : null;
    return stop >= 0 && stop < plain.prev_completion_ids.length - 1 && refusal === "tokens_after_stop";
  },
  /** An opening marker inside open reasoning is part of the reasoning's text. */
  "reasoning keeps its text": (recorded, outcome, renderer) => {
    const ids: number[] = recorded.plain.completion_ids ?? [];
    if (!renderer?.tokenizer.decode(ids).includes("<think>")) return false;
    const reasoning = actualFields(outcome).reasoning_content ?? "";
    const { reasoning_content: expected } = recorded.plain.expect;
    const isKept =
      reasoning !== expected && pythonStrip(reasoning.replaceAll("<think>", "")) === pythonStrip(expected ?? "");
    return isKept && parsesWith(recorded, renderer, { reasoning_content: reasoning });
  },
  /** The recorded text is encoded as one string. */
  "text is encoded in one pass": (recorded, outcome, renderer) => {
    const expected: number[] = recorded.plain.expect?.token_ids ?? [];
    const { token_ids: ids } = (outcome.outcome === "failed" && outcome.actual) as { token_ids?: number[] };
    if (!renderer || !ids || equalRows(ids, expected)) return false;
    return equalRows(renderer.tokenizer.encode(renderer.tokenizer.decode(expected)), ids);
  },
  /** The list of tools keeps the characters that its recorded JSON escapes; all else is as recorded. */
  "tools are not escaped": (recorded, outcome, renderer) => {
    const ids = idsOf(outcome.outcome === "failed" ? outcome.actual : null);
    if (!renderer || ids.length === 0 || !JSON.stringify(recorded.plain.tools ?? null).match(/[^\0-\x7f]/))
      return false;
    const text = (some: readonly number[]) =>
      renderer.tokenizer
        .decode(some)
        .replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return text(ids) === text(idsOf(recorded.plain.expect));
  },
  /** A closing marker for which no reasoning is open is part of the content. */
  "content keeps closing markers": (recorded, outcome, renderer) => {
    const { content = "" } = actualFields(outcome);
    const unmarked = pythonStrip(content.replaceAll("</think>", ""));
    const isKept = content.includes("</think>") && unmarked === pythonStrip(recorded.plain.expect.content ?? "");
    return renderer !== null && isKept && parsesWith(recorded, renderer, { content });
  },
  /** Content that is a list of parts renders as recorded, where the template leaves it out. */
  "parts are kept": (recorded, outcome) => {
    const ids = idsOf(outcome.outcome === "failed" ? outcome.actual : null);
    const hasParts = messagesOf(recorded).some(({ content }) => Array.isArray(content));
    return hasParts && ids.length > 0 && equalRows(ids, idsOf(recorded.plain.expect));
  },
  /** After a truncation the open message is closed as the format has it, a closed one not again; all else is as recorded. */
  "a cut message is closed": ({ plain }, outcome, renderer) => {
    const ids = renderedIds(outcome).token_ids ?? [];
    const expected: number[] = plain.expect?.token_ids ?? [];
    const history: number[] = [...(plain.prev_prompt_ids ?? []), ...(plain.prev_completion_ids ?? [])];
    const [close, ...turns] = expected.slice(history.length);
    const ours = ids.slice(history.length, ids.length - turns.length);
    return (
      !renderer?.stopTokenIds.includes(history.at(-1) ?? -1) &&
      [ids, expected].every((some) => equalRows(some.slice(0, history.length), history)) &&
      equalRows(ids.slice(history.length + ours.length), turns) &&
      ours.length <= 6 &&
      (ours.at(-1) ?? history.at(-1)) === close
    );
  },
  /** A call without its end is unclosed, whether or not what there is of it can be read; all else is as recorded. */
  "a cut call is unclosed": (recorded, outcome, renderer) => {
    const calls = (actualFields(outcome).tool_calls ?? []) as { status: string; token_span: [number, number] }[];
    const stops = renderer?.stopTokenIds ?? [];
    const isCut = calls.map(
      ({ status, token_span: [, end] }) =>
        status === "unclosed_block" && !stops.includes(recorded.plain.completion_ids[end - 1]),
    );
    const expect = recorded.lossless("expect") as JsonObject;
    const expected = ((expect.get("tool_calls") ?? []) as readonly JsonObject[]).map((call, index) =>
      isCut[index] && call.get("status") === "invalid_json" ? new Map([...call, ["status", "unclosed_block"]]) : call,
    );
    const lossless = (field: string) =>
      field === "expect" ? (new Map([...expect, ["tool_calls", expected]]) as JsonObject) : recorded.lossless(field);
    return renderer !== null && runParse({ ...recorded, lossless }, renderer).outcome === "passed";
  },
  /**
   * In a damaged completion the first call that is read otherwise holds argument tags out of their order, or stands for text
   * that belongs to no call; all before it is as recorded.
   */
  "argument tags out of order": (recorded, outcome, renderer) => {
    const expected: readonly { raw: string }[] = recorded.plain.expect?.tool_calls ?? [];
    const calls = (actualFields(outcome).tool_calls ?? []) as readonly { name: string | null; raw: string }[];
    if (!renderer || recorded.plain.compare !== "invariants") return false;
    const sound = expected.findIndex((_, end) => !parsesWithCalls(recorded, renderer, end + 1));
    const tags = [...(expected[sound]?.raw ?? "").matchAll(/<(\/?)(?:arg_(key|value)|(tool_call|think))(?::\w+)?>/g)];
    const order = tags.map(([, close, tag = "other"]) => `${close}${tag} `).join("");
    const isOutOfOrder = !/^(key \/key value \/value )*$/.test(order);
    return sound >= 0 && (isOutOfOrder || (calls[sound]?.name === null && calls[sound].raw !== ""));
  },
  /** A call's opening marker inside reasoning that closes later is part of the reasoning; so is all before the close. */
  "calls in closed reasoning are reasoning": (recorded, outcome, renderer) => {
    const { reasoning_content: reasoning, content = "", tool_calls: calls = [] } = actualFields(outcome);
    if (!renderer || !reasoning?.includes("<tool_call>") || calls.length > 0) return false;
    const ids: number[] = recorded.plain.completion_ids;
    const stop = ids.findIndex((id) => renderer.stopTokenIds.includes(id));
    const [thought, ...rest] = renderer.tokenizer.decode(ids.slice(0, stop < 0 ? undefined : stop)).split("</think>");
    return (
      pythonStrip(thought).endsWith(pythonStrip(reasoning)) &&
      pythonStrip(rest.join("</think>")) === pythonStrip(content)
    );
  },
  /** In a damaged completion calls that do not hold together are malformed; the others are recorded ones, in order. */
  "damaged calls are malformed": (recorded, outcome) => {
    if (recorded.plain.compare !== "invariants") return false;
    const calls = (actualFields(outcome).tool_calls ?? []) as readonly { name: string | null; status: string }[];
    const others = calls.filter(({ status }) => status !== "malformed_structure");
    const expected: readonly { name: string | null }[] = recorded.plain.expect?.tool_calls ?? [];
    let at = 0;
    for (const { name } of expected) if (at < others.length && others[at].name === name) at++;
    return others.length < calls.length && at === others.length;
  },
  /** Of a section that is cut short, the calls that were whole before the cut count, each by itself. */
  "whole calls of a cut section": (recorded, outcome) => {
    const { content, reasoning_content: reasoning, tool_calls } = actualFields(outcome);
    const calls = (tool_calls ?? []) as readonly { status: string; raw: string }[];
    const { expect } = recorded.plain;
    const cut = expect?.tool_calls?.length === 1 && expect.tool_calls[0].status === "unclosed_block";
    const isSame = (a: string | null | undefined, b: string | null | undefined) =>
      pythonStrip(a ?? "") === pythonStrip(b ?? "");
    return (
      cut &&
      calls.some(({ status }) => status !== "unclosed_block") &&
      calls.every(({ raw }) => expect.tool_calls[0].raw.includes(raw)) &&
      isSame(content, expect.content) &&
      isSame(reasoning, expect.reasoning_content)
    );
  },
  /** Words between and after calls are content. */
  "words after a call are content": (recorded, outcome, renderer) => {
    const { content = "", tool_calls: calls = [] } = actualFields(outcome);
    const { content: expected } = recorded.plain.expect;
    const isLonger = content.length > expected.length && pythonStrip(content).startsWith(pythonStrip(expected));
    return renderer !== null && calls.length > 0 && isLonger && parsesWith(recorded, renderer, { content });
  },
  /** The text behind a thought's opening marker that says what the part is, `thought` and a newline, is no thought. */
  "a thought has no label": (recorded, outcome, renderer) => {
    const reasoning = actualFields(outcome).reasoning_content ?? "";
    const { reasoning_content: expected } = recorded.plain.expect;
    const isLabelled = pythonStrip(expected ?? "") === pythonStrip(`thought\n${reasoning}`);
    return renderer !== null && isLabelled && parsesWith(recorded, renderer, { reasoning_content: reasoning });
  },
  /** What stands between a thought's markers is reasoning wherever it stands, everything else is content. */
  "thoughts inside content are reasoning": (recorded, outcome, renderer) => {
    const ids: number[] = recorded.plain.completion_ids ?? [];
    const stop = ids.findIndex((id) => renderer?.stopTokenIds.includes(id));
    const text = renderer?.tokenizer.decode(stop < 0 ? ids : ids.slice(0, stop)) ?? "";
    const { content = "", reasoning_content, reasoning_complete } = actualFields(outcome);
    const words = text.replace(/<\|tool_call>.*?<tool_call\|>/gs, "").replace(/<\|channel>.*?(?:<channel\|>|$)/gs, "");
    const isSplit = words !== text && pythonStrip(content) === pythonStrip(words);
    return (
      renderer !== null &&
      isSplit &&
      parsesWith(recorded, renderer, { content, reasoning_content: reasoning_content ?? null, reasoning_complete })
    );
  },
  ...templateParseRules,
};

const renderedIds = (outcome: Outcome): { readonly token_ids?: readonly number[] } =>
  outcome.outcome === "failed" ? ((outcome.actual ?? {}) as object) : {};

/** Ids of a render or a trajectory, ours or recorded. */
function idsOf(fields: unknown): readonly number[] {
  const { token_ids, prompt_ids = [], completion_ids = [] } = (fields ?? {}) as Record<string, number[] | undefined>;
  return token_ids ?? [...prompt_ids, ...completion_ids];
}

interface ParsedFields {
  readonly content?: string;
  readonly reasoning_content?: string | null;
  readonly reasoning_complete?: boolean | undefined;
  readonly tool_calls?: readonly unknown[];
}

const actualFields = (outcome: Outcome): ParsedFields =>
  outcome.outcome === "failed" ? ((outcome.actual ?? {}) as ParsedFields) : {};

/** Would the case pass if these fields were expected? */
function parsesWith(recorded: RecordedCase, renderer: Renderer, fields: ParsedFields): boolean {
  const plain = { ...recorded.plain, expect: { ...recorded.plain.expect, ...fields } };
  return runParse({ ...recorded, plain }, renderer).outcome === "passed";
}

/** Would the case pass if only so many calls were expected, and a damaged one? */
function parsesWithCalls(recorded: RecordedCase, renderer: Renderer, calls: number): boolean {
  const expect = recorded.lossless("expect") as JsonObject;
  const sound = (expect.get("tool_calls") as readonly JsonValue[]).slice(0, calls);
  const some = new Map([...expect, ["tool_calls", [...sound, new Map([["status", "malformed_structure"]])]]]);
  const lossless = (field: string) => (field === "expect" ? (some as JsonObject) : recorded.lossless(field));
  return runParse({ ...recorded, lossless }, renderer).outcome === "passed";
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
