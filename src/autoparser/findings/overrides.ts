import { TitoError } from "../../errors.ts";
import type { CallsLayout, ContentLayout, ReasoningLayout, ResponseLayout } from "../../parse/layout/layout.ts";
import type { Opened } from "../probe/types.ts";
import type { LayoutCandidate } from "./findLayout.ts";

/** Findings that a user knows better. A part is merged into what was found; null takes it away. */
export interface LayoutOverrides {
  readonly reasoning?: Partial<ReasoningLayout> | null | undefined;
  readonly content?: Partial<ContentLayout> | undefined;
  readonly calls?: Partial<CallsLayout> | null | undefined;
  readonly end?: string | undefined;
  readonly glue?: readonly string[] | undefined;
  readonly header?: string | undefined;
  readonly opened?: Partial<Opened> | undefined;
  readonly stops?: readonly string[] | undefined;
}

export function applyOverrides(candidate: LayoutCandidate, overrides: LayoutOverrides | undefined): LayoutCandidate {
  if (overrides === undefined) return candidate;
  const { layout } = candidate;
  const { reasoning, content, calls, end = layout.end, glue = layout.glue, opened } = overrides;
  const { header = candidate.header, stops = candidate.stops } = overrides;
  const merged: ResponseLayout = {
    reasoning:
      reasoning === undefined
        ? layout.reasoning
        : reasoning && { ...emptyReasoning, ...layout.reasoning, ...reasoning },
    content: { ...layout.content, ...content },
    calls: calls === undefined ? layout.calls : calls && { ...emptyCalls, ...layout.calls, ...calls },
    end,
    glue,
  };
  return { ...candidate, layout: merged, header, stops, opened: { ...candidate.opened, ...opened } };
}

const FINDINGS = ["reasoning", "content", "calls", "end", "glue", "header", "opened", "stops"];

/** @throws TitoError `invalid_config` */
export function checkOverrides(overrides: LayoutOverrides | undefined): void {
  const unknown = Object.keys(overrides ?? {}).find((name) => !FINDINGS.includes(name));
  if (unknown === undefined) return;
  throw new TitoError(
    "invalid_config",
    `overrides.${unknown}: there is no such finding. Override ${FINDINGS.join(", ")}, or leave it out.`,
    { details: { field: `overrides.${unknown}`, expected: FINDINGS } },
  );
}

const emptyReasoning: ReasoningLayout = { mode: "tag_based", open: "", close: "" };
const emptyCalls: CallsLayout = { lead: "", section: null, separator: "", call: [], parallel: false };
