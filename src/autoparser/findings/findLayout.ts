import type { ResponseLayout } from "../../parse/layout/layout.ts";
import type { Opened } from "../probe/types.ts";
import type { TemplateView } from "../probe/view.ts";
import type { ReaderKind } from "../readers.ts";
import type { Hypothesis, Proposal } from "./hypothesis.ts";
import { allHypotheses } from "./registry.ts";

/** A layout that the template may have, by one hypothesis. */
export interface LayoutCandidate {
  /** The hypothesis; null: the layout without calls. */
  readonly hypothesis: string | null;
  readonly layout: ResponseLayout;
  readonly header: string;
  readonly opened: Opened;
  readonly told: boolean;
  readonly reader: ReaderKind;
  /** Texts that end a turn: one of content first. */
  readonly stops: readonly string[];
}

/** Every layout that something points to, the user's hypotheses first; last the one that has no calls. */
export function* candidates(view: TemplateView, own: readonly Hypothesis[] = []): Generator<LayoutCandidate> {
  for (const { name, propose } of [...own, ...allHypotheses()]) {
    const proposal = propose(view);
    if (proposal) yield candidate(view, name, proposal);
  }
  yield candidate(view, null, {});
}

function candidate(view: TemplateView, hypothesis: string | null, proposal: Proposal): LayoutCandidate {
  const { header = view.header, opened = view.opened, told = false, stops = [], ...parts } = proposal;
  const layout: ResponseLayout = {
    reasoning: view.reasoning,
    content: view.content,
    calls: null,
    end: view.end,
    glue: [],
    ...parts,
  };
  return { hypothesis, layout, header, opened, told, reader: "layout", stops: [...new Set([...view.stops, ...stops])] };
}
