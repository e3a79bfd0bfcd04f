import { argumentsAsDict, type CallsProbe, callConversation, opening, tools, words } from "./conversations.ts";
import type { Observation } from "./observe.ts";
import { asJson, type Prober, writesTools } from "./prober.ts";

export interface CallsFound {
  /** The most ordinary conversation whose call is written; null: there is none. */
  readonly written: CallsProbe | null;
  readonly parallel: boolean;
  readonly needsContent: boolean;
  /** One of the conversations told the model about its tools. */
  readonly describesTools: boolean;
}

/** From the most ordinary one on. */
const shapes: readonly Pick<CallsProbe, "content" | "ending" | "flat">[] = [
  { content: "", ending: "question", flat: false },
  { content: null, ending: "question", flat: false },
  { content: "", ending: "results", flat: false },
  { content: null, ending: "results", flat: false },
  { content: "", ending: "calls", flat: false },
  { content: null, ending: "calls", flat: false },
  { content: undefined, ending: "question", flat: false },
  { content: words.assistant, ending: "question", flat: false },
  { content: "", ending: "question", flat: true },
  { content: null, ending: "question", flat: true },
];

/** Looks for a conversation whose call the template writes, and varies it. */
export function probeCalls({ render, manner }: Prober): CallsFound {
  const before = opening(manner);
  const asking = before.length;
  const withTools = { tools: asJson(tools) };
  // A template that refuses tools may still write calls.
  const variables = render(before, withTools) === null ? {} : withTools;
  let describesTools = false;

  function renderCalls(probe: CallsProbe): Observation | null {
    const seen = render(callConversation(probe, manner), variables);
    if (seen !== null) describesTools ||= writesTools(seen, tools);
    return seen;
  }

  function pathOf({ flat }: CallsProbe, index: number): (string | number)[] {
    return ["messages", asking, "tool_calls", index, ...(flat ? [] : ["function"])];
  }

  /** The last call is written. */
  function isWritten(seen: Observation | null, probe: CallsProbe): boolean {
    if (seen === null) return false;
    const call = pathOf(probe, probe.count - 1);
    const name = words.tools[probe.count - 1]!;
    return seen.writes([...call, "name"], name) || seen.writes([...call, "arguments"], words.value);
  }

  function writesObject(seen: Observation, probe: CallsProbe): boolean {
    const path = [...pathOf(probe, 0), "arguments"];
    return seen.writes([...path, words.argument], words.value) && !seen.textAt(path).includes(argumentsAsDict);
  }

  function firstWritten(): CallsProbe | null {
    for (const shape of shapes) {
      const probe: CallsProbe = { ...shape, count: 1, object: true };
      const seen = renderCalls(probe);
      if (seen !== null && !isWritten(seen, probe)) continue;
      if (seen !== null && writesObject(seen, probe)) return probe;
      const asText = { ...probe, object: false };
      if (isWritten(renderCalls(asText), asText)) return asText;
    }
    return null;
  }

  /** In the first of the conversations that is accepted with an empty text, null is not as good. */
  function needsContent(probes: readonly CallsProbe[]): boolean {
    for (const probe of probes) {
      const empty = renderCalls({ ...probe, content: "" });
      if (empty === null) continue;
      const seen = renderCalls({ ...probe, content: null });
      if (seen === null || seen.writes(["messages", asking, "content"], "None")) return true;
      return isWritten(empty, probe) && !isWritten(seen, probe);
    }
    return false;
  }

  const written = firstWritten();
  if (written === null) {
    const probes = shapes.map((shape): CallsProbe => ({ ...shape, count: 1, object: true }));
    return { written, parallel: false, needsContent: needsContent(probes), describesTools };
  }
  const pairs = [...new Set<CallsProbe["ending"]>([written.ending, "calls"])].map(
    (ending): CallsProbe => ({ ...written, ending, count: 2 }),
  );
  return {
    written,
    parallel: pairs.some((pair) => isWritten(renderCalls(pair), pair)),
    needsContent: needsContent([written]),
    describesTools,
  };
}
