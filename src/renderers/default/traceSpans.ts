import type { TemplateTrace } from "../../template/index.ts";
import type { SpanWriter } from "../../tokens/index.ts";
import { ownedSegments } from "./ownership.ts";
import { sampledRanges } from "./sampledRanges.ts";
import { cutAt, isOutside, type Segment, type TraceOptions } from "./segments.ts";

/** Writes the spans of a template's output: each belongs to a message, and is body, scaffold, or sampled. */
export function writeTrace(out: SpanWriter, trace: TemplateTrace, options: TraceOptions): void {
  const { messages, generationPrompt } = options;
  const promptStart = trace.text.length - generationPrompt;
  const owned = ownedSegments(trace, options, promptStart);
  const sampled = sampledRanges(trace.text.slice(0, promptStart), owned, options);
  const cuts = sampled.flatMap(({ start, end }) => [start, end]);
  let next = 0;
  for (const segment of cutAt(owned, cuts)) {
    const isPrompt = segment.start >= promptStart;
    const isAssistant = messages[segment.message]?.role === "assistant";
    out.at(isPrompt ? -1 : segment.message);
    const end = segment.start + segment.text.length;
    while (next < sampled.length && sampled[next]!.end <= segment.start) next++;
    const range = sampled[next];
    const isSampled = !isPrompt && range !== undefined && segment.start >= range.start && end <= range.end;
    // A tool's spec or a variable is no model's word, wherever the template puts it.
    if (isSampled && !isOutside(segment)) out.at(range.message).sampled(segment.text);
    else if (segment.kind === "scaffold" || isRole(segment)) out.scaffold(segment.text);
    else if (segment.kind !== "value" && isAssistant) out.scaffold(segment.text);
    else if (segment.kind === "content") out.body(segment.text);
    else out.foreign(segment.text);
  }
}

/** A role is the program's word and may be a part of a control token (`<|user|>`), as long as it is a name and no marker. */
const isRole = ({ kind, text }: Segment): boolean => kind === "role" && /^[\p{L}\p{N}_-]+$/u.test(text);
