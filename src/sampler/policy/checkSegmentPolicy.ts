import { type ErrorCode, TitoError } from "../../errors.ts";
import { readGrammar } from "../grammarOptions.ts";
import { refuse, refuseUnknown } from "../refuse.ts";
import { checkPayload } from "./checkPayload.ts";
import type { ReasoningMarkers, SegmentPolicy, ToolCallMarkers } from "./types.ts";

const keys = ["toolCallMarkers", "payload", "grammar", "greedy", "reasoning"];

/**
 * Checks a policy, before anything is sampled with it.
 *
 * @throws TitoError `marker_missing_end`, `marker_payload_alone`, `marker_empty`, `marker_equal`; `grammar_without_triggers`; for the
 * grammar's text as `parseGbnf`; `sampler_option` for what has another form
 */
export function checkSegmentPolicy(policy: SegmentPolicy): void {
  if (typeof policy !== "object" || policy === null) refuse("segments", policy, "an object, see segmentPolicy");
  refuseUnknown(policy, keys, "segments.");
  const { toolCallMarkers, greedy = "off", reasoning, payload, grammar } = policy;
  if (!["syntax", "span", "off"].includes(greedy)) refuse("segments.greedy", greedy, '"syntax", "span" or "off"');
  if (payload) checkPayload(payload);
  if (toolCallMarkers) checkCallMarkers(toolCallMarkers);
  if (reasoning) checkReasoning(reasoning);
  if (toolCallMarkers && reasoning) checkApart(toolCallMarkers, reasoning);
  readGrammar(grammar);
}

function checkCallMarkers(markers: ToolCallMarkers): void {
  const at = "segments.toolCallMarkers";
  if (typeof markers !== "object") refuse(at, markers, "an object: { start, end }, or null");
  refuseUnknown(markers, ["start", "end", "payloadStart", "payloadEnd"], `${at}.`);
  for (const [name, text] of Object.entries(markers)) checkMarker(`${at}.${name}`, text);
  const { start, end, payloadStart, payloadEnd } = markers;
  if (start === undefined || end === undefined)
    refuseMarkers(
      "marker_missing_end",
      `${at} has ${start === undefined ? "no start" : "a start without an end"}. Give both: a call is what stands between them.`,
      { markers },
    );
  if ((payloadStart === undefined) !== (payloadEnd === undefined))
    refuseMarkers(
      "marker_payload_alone",
      `${at} has ${payloadStart === undefined ? "payloadEnd without payloadStart" : "payloadStart without payloadEnd"}. Give both, or neither.`,
      { markers },
    );
  for (const [name, text] of Object.entries({ payloadStart, payloadEnd }))
    if (text !== undefined && (text === start || text === end))
      refuseMarkers(
        "marker_equal",
        `${at}.${name} is ${JSON.stringify(text)}, which also ${text === start ? "begins" : "ends"} the call. Payload stands within a call: give it markers of its own.`,
        { marker: name, text },
      );
}

function checkReasoning(markers: ReasoningMarkers): void {
  const at = "segments.reasoning";
  if (typeof markers !== "object") refuse(at, markers, "an object: { start, end, opened }, or null");
  refuseUnknown(markers, ["start", "alsoStarts", "end", "opened"], `${at}.`);
  const { start, alsoStarts = [], end, opened } = markers;
  if (!Array.isArray(alsoStarts)) refuse(`${at}.alsoStarts`, alsoStarts, "a list of texts");
  if (end === undefined)
    refuseMarkers("marker_missing_end", `${at} has no end. Give the text that reasoning ends with.`, { markers });
  for (const text of [start, ...alsoStarts]) if (text !== null) checkMarker(`${at}.start`, text);
  checkMarker(`${at}.end`, end);
  if (typeof opened !== "boolean") refuse(`${at}.opened`, opened, "true or false: whether the prompt left it open");
}

function checkApart({ start }: ToolCallMarkers, reasoning: ReasoningMarkers): void {
  if (start !== reasoning.start && !reasoning.alsoStarts?.includes(start)) return;
  refuseMarkers(
    "marker_equal",
    `segments.toolCallMarkers.start is ${JSON.stringify(start)}, which also begins reasoning. Give one of them a longer text.`,
    { marker: "start", text: start },
  );
}

function checkMarker(name: string, text: unknown): void {
  if (text === undefined) return;
  if (typeof text !== "string") refuse(name, text, "a text");
  if (text === "")
    refuseMarkers("marker_empty", `${name} is empty, and would be found everywhere. Give its text, or leave it out.`, {
      marker: name,
    });
}

function refuseMarkers(code: ErrorCode, message: string, details: Record<string, unknown>): never {
  throw new TitoError(code, message, { details });
}
