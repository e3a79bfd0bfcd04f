import { equalJson, type JsonInput, pythonJson, tryParseJson } from "../../messages/index.ts";
import type { KnownTool, ParsedResponse } from "../../parse/index.ts";
import { spellResponse } from "../../parse/index.ts";
import type { LayoutCandidate } from "../findings/findLayout.ts";
import { turnAt } from "../probe/speaker.ts";
import type { Turn } from "../probe/turn.ts";
import type { Opened } from "../probe/types.ts";
import type { TemplateView } from "../probe/view.ts";
import { responseTextParser } from "../readers.ts";
import type { CheckProbe } from "./checkProbes.ts";

/** What became of one response that the template wrote and the layout had to read. */
export interface CheckedProbe {
  readonly name: string;
  /** What the template wrote of it, without what stops a response. */
  readonly text: string;
  /** Parts that the template does not write at all. */
  readonly dropped: readonly string[];
  /** What was read wrongly; empty: nothing. */
  readonly wrong: readonly string[];
  /** The layout writes it as the template does. */
  readonly exact: boolean;
}

export interface SelfCheck {
  readonly probes: readonly CheckedProbe[];
  readonly failed: number;
  readonly inexact: number;
}

/** Has the template write every probe, and the layout read it and write it again. Probes that the template refuses are left out. */
export function selfCheck(view: TemplateView, candidate: LayoutCandidate, probes: readonly CheckProbe[]): SelfCheck {
  const checked = probes.flatMap((probe) => check(view, candidate, probe) ?? []);
  return {
    probes: checked,
    failed: checked.filter(({ wrong }) => wrong.length > 0).length,
    inexact: checked.filter(({ exact }) => !exact).length,
  };
}

function check(view: TemplateView, candidate: LayoutCandidate, probe: CheckProbe): CheckedProbe | null {
  if (probe.said.calls && candidate.layout.calls === null) return null;
  const last = checkAt(view, candidate, probe, false);
  // Some templates write the last turn as one that goes on.
  return last && last.wrong.length > 0 ? preferred(last, checkAt(view, candidate, probe, true)) : last;
}

const preferred = (last: CheckedProbe, earlier: CheckedProbe | null): CheckedProbe =>
  earlier !== null && earlier.wrong.length === 0 && earlier.dropped.length <= last.dropped.length ? earlier : last;

function checkAt(
  view: TemplateView,
  { layout, header, opened, stops, reader }: LayoutCandidate,
  { name, said: intended, tools }: CheckProbe,
  followed: boolean,
): CheckedProbe | null {
  const said = view.speaker.effective(intended);
  const place = view.speaker.place(said, { tools: said.calls !== undefined, followed });
  if (place === null) return null;
  const turn = untilStop(turnAt(place, header), said.calls !== undefined, [...stops, ...view.ends]);
  const { text } = turn;
  const isWritten = (kind: string) => turn.pieces.some(({ slot }) => slot?.kind === kind);
  const dropped: string[] = [];
  if (said.content && !isWritten("content")) dropped.push("content");
  if (said.reasoning && !isWritten("reasoning")) dropped.push("reasoning");
  const written = said.calls?.filter((_, index) => turn.pieces.some(({ slot }) => slot?.call === index)) ?? [];
  if (written.length < (said.calls?.length ?? 0)) dropped.push("calls");
  const lost = written.flatMap((call, index) =>
    lostKeys(call.function.arguments as Readonly<Record<string, JsonInput>>, index, turn),
  );
  if (lost.length > 0) dropped.push("values");

  const known = new Map<string, KnownTool>(
    tools.map(({ function: { name, parameters } }) => [name, { name, parameters: parameters as JsonInput }]),
  );
  const readings = beginnings(layout, opened, text).map(([prompt, rest]) => {
    const parser = responseTextParser(
      { layout, header, reader, stops: [] },
      { generationPrompt: prompt, tools: said.calls ? known : null },
    );
    parser.push(rest);
    return parser.end().response;
  });
  const expected = {
    content: dropped.includes("content") ? "" : (said.content ?? ""),
    reasoning: dropped.includes("reasoning") ? "" : (said.reasoning ?? ""),
  };
  const wrong = new Set<string>();
  for (const response of readings) {
    if (response.content.trim() !== expected.content.trim()) wrong.add("content");
    if ((response.reasoning?.text ?? "").trim() !== expected.reasoning.trim()) wrong.add("reasoning");
    for (const part of wrongCalls(response, written, new Set(lost))) wrong.add(part);
  }
  const exact = wrong.size === 0 && (layout.glue.length > 0 || isExact(readings[0]!, { layout, text }));
  return { name, text, dropped, wrong: [...wrong], exact };
}

/** The turn as a response from its start, and behind each of the prompts that write the same beginning. */
function beginnings(
  layout: LayoutCandidate["layout"],
  opened: Opened,
  text: string,
): readonly (readonly [prompt: string, rest: string])[] {
  const prompts = [...new Set(Object.values(opened) as string[])].filter(
    (prompt) => prompt !== "" && text.startsWith(prompt),
  );
  const behind = prompts.map((prompt) => [prompt, text.slice(prompt.length)] as const);
  // Without its glue, which every prompt writes, a response has no beginning of its own.
  return layout.glue.length > 0 && behind.length > 0 ? behind : [["", text], ...behind];
}

function isExact(
  response: ParsedResponse,
  { layout, text }: { readonly layout: LayoutCandidate["layout"]; readonly text: string },
): boolean {
  const calls = response.toolCalls.map(({ name, argumentsText, id }) => ({
    name: name ?? "",
    argumentsText: argumentsText ?? "{}",
    id: id ?? undefined,
  }));
  const spoken = { content: response.content, reasoning: response.reasoning?.text ?? null, toolCalls: calls };
  return spellResponse(layout, spoken, { in: "start", closed: false }).trim() === text.trim();
}

/** Values of which the template writes nothing, or something else. */
function lostKeys(args: Readonly<Record<string, JsonInput>>, call: number, { pieces, text }: Turn): string[] {
  const keyed = pieces.some(({ slot }) => slot?.call === call && slot.kind === "key");
  return Object.entries(args).flatMap(([key, value]) => {
    const isChanged = stringsIn(value).some(
      (one) => !text.includes(one) && !text.includes(pythonJson(one).slice(1, -1)),
    );
    const isSilent = hasNull(value) && !/null|None/i.test(text);
    const isWritten = pieces.some(({ slot }) => slot?.call === call && slot.kind === "value" && slot.key === key);
    const isEmpty = value === "" || value === null || (typeof value === "object" && Object.keys(value).length === 0);
    const isLeftOut = keyed && !isWritten && !(isEmpty && /null|None|\{\}|\[\]/.test(text));
    return isChanged || isSilent || isLeftOut ? [`${call} ${key}`] : [];
  });
}

function hasNull(value: JsonInput): boolean {
  return value === null || (typeof value === "object" && (Object.values(value) as JsonInput[]).some(hasNull));
}

function stringsIn(value: JsonInput): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? (Object.values(value) as JsonInput[]).flatMap(stringsIn) : [];
}

function wrongCalls({ toolCalls }: ParsedResponse, written: readonly CheckCall[], lost: ReadonlySet<string>): string[] {
  if (toolCalls.length !== written.length) return ["calls"];
  return toolCalls.flatMap((call, index) => {
    const {
      function: { name, arguments: args },
    } = written[index]!;
    if (call.name !== name) return ["name"];
    const read = call.argumentsText === null ? null : tryParseJson(call.argumentsText);
    if (!read?.ok) return ["arguments"];
    const expected = Object.entries(args).filter(([key]) => !lost.has(`${index} ${key}`));
    const given = read.value instanceof Map ? [...read.value].filter(([key]) => !lost.has(`${index} ${key}`)) : [];
    return equalJson(new Map(given), new Map(expected as [string, JsonInput][])) ? [] : ["arguments"];
  });
}

type CheckCall = NonNullable<CheckProbe["said"]["calls"]>[number];

/** A turn up to the first text behind what it says (its calls, where it has some) that stops it. */
function untilStop({ text, pieces }: Turn, calls: boolean, stops: readonly string[]): Turn {
  const last = pieces.findLast(({ slot }) => slot !== null && (!calls || slot.call >= 0));
  const from = last === undefined ? 0 : last.start + last.text.length;
  const places = stops.map((stop) => text.indexOf(stop, from)).filter((at) => at >= 0);
  const end = places.length === 0 ? text.length : Math.min(...places);
  return { text: text.slice(0, end), pieces: pieces.filter(({ start }) => start < end) };
}
