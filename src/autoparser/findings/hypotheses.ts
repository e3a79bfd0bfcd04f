import type { CallsLayout } from "../../parse/layout/layout.ts";
import type { CallTurns, FoundCalls } from "../calls/callFrame.ts";
import { jsonUnit, objectUnit } from "../calls/callUnits.ts";
import { layoutByTags } from "../calls/layoutByTags.ts";
import { layoutByUnits } from "../calls/layoutByUnits.ts";
import { names } from "../probe/probes.ts";
import type { TemplateView } from "../probe/view.ts";
import { contentGap } from "./findContent.ts";
import type { Hypothesis, Proposal } from "./hypothesis.ts";
import { taggedReasoning, toldList, toldPythonic } from "./toldFormats.ts";

/** In the order in which they are tried; the first one that reads every probe is taken. */
export const builtInHypotheses: readonly Hypothesis[] = [
  { name: "json_object", propose: (view) => byTurns(view, (turns) => layoutByUnits(turns, objectUnit)) },
  { name: "tag_with_json", propose: (view) => byTurns(view, (turns) => layoutByUnits(turns, jsonUnit)) },
  { name: "tag_with_tagged", propose: (view) => byTurns(view, layoutByTags) },
  { name: "told_list", propose: toldList },
  { name: "told_pythonic", propose: toldPythonic },
  { name: "told_reasoning", propose: taggedReasoning },
];

function byTurns(view: TemplateView, find: (turns: CallTurns) => FoundCalls | null): Proposal | null {
  const turns = callTurns(view);
  const found = turns && find(turns);
  return found && { ...prompted(found.calls, view), ...(found.stop === null ? {} : { stops: [found.stop] }) };
}

/** What opens a call may be written by every prompt already (`>>>`): it stands between the parts of a response then. */
function prompted(calls: CallsLayout, { header, opened }: TemplateView): Proposal {
  const [first] = calls.call;
  if (calls.section !== null || first?.kind !== "text" || !header.endsWith(first.text)) return { calls };
  const { text } = first;
  return {
    calls: { ...calls, lead: text, separator: text, call: calls.call.slice(1) },
    glue: [text],
    header: header.slice(0, header.length - text.length),
    opened: { plain: text + opened.plain, on: text + opened.on, off: text + opened.off },
  };
}

function callTurns(view: TemplateView): CallTurns | null {
  const { reasoning, content, stops, ends, end } = view;
  const one = view.turn("call");
  const two = view.turn("calls");
  const withContent = view.turn("contentCall");
  if (!one) return null;
  const empty = reasoning?.empty || (reasoning ? reasoning.open.trim() + reasoning.close.trim() : "");
  const wrapper = content.mode === "plain" ? "" : content.open + content.close;
  const leads = [empty, wrapper].filter((text) => text !== "");
  return {
    calls: view.calls,
    one,
    two: two?.pieces.some(({ slot }) => slot?.call === 1) === true ? two : null,
    withContent: withContent && contentGap(withContent)?.kind === "before" ? withContent : null,
    withValue: (value) => view.callTurn({ [names.keys[0]]: value }),
    lead: (turn) => {
      const thought = turn.pieces.findLast(({ slot }) => slot?.kind === "reasoning");
      const start = thought ? behind(turn.text, thought.start + thought.text.length, reasoning?.close ?? "") : 0;
      return (thought ? [wrapper] : leads).reduce((at, lead) => behind(turn.text, at, lead), start);
    },
    ends: [...new Set([...stops, ...ends])],
    end,
    contentClose: content.close,
  };
}

/** The place behind a text that stands here, with or without the white space at its end. */
function behind(text: string, at: number, lead: string): number {
  const written = [lead, lead.trimEnd(), lead.trim()].find((form) => text.startsWith(form, at));
  return at + (written?.length ?? 0);
}
