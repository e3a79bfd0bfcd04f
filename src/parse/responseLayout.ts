import type { CallGrammar, ReasoningGrammar, ResponseGrammar, TaggedGrammar } from "./grammar.ts";
import type { CallElement, CallsLayout, ContentLayout, ReasoningLayout, ResponseLayout } from "./layout/layout.ts";

/**
 * The response of a family as a layout: its grammar's markers, and the form of its calls. `calls` is null where the grammar does
 * not say how they are written. Null: nothing is known.
 */
export function responseLayout(grammar: ResponseGrammar): ResponseLayout | null {
  if (grammar.kind === "tagged") return taggedLayout(grammar);
  if (grammar.kind !== "bare") return grammar.layout ?? null;
  return {
    reasoning: null,
    content: { ...plain, droppedWithCalls: true },
    calls: grammar.call ? bareCalls(grammar.call) : null,
    end: "",
    glue: [],
  };
}

const plain: ContentLayout = { mode: "plain", open: "", close: "" };

function taggedLayout({ reasoning, calls, list, trail = "" }: TaggedGrammar): ResponseLayout {
  const isListed = list !== undefined;
  return {
    reasoning: reasoning && reasoningLayout(reasoning),
    content: calls?.form?.contentFollows ? { ...plain, afterCalls: true } : plain,
    calls: calls && !isListed ? callsLayout(calls) : null,
    end: trail,
    glue: [],
  };
}

function reasoningLayout(reasoning: ReasoningGrammar): ReasoningLayout {
  const { open, close, label = "", padding, closing = padding, separator, implied, repeats } = reasoning;
  return {
    mode: "tag_based",
    open: open.text + label + padding,
    close: closing + close.text + separator,
    ...(implied === undefined ? {} : { implied: true, empty: close.text + separator }),
    ...(repeats ? { repeats } : {}),
  };
}

function callsLayout({ open, close, section, separator, form }: CallGrammar): CallsLayout | null {
  if (form === undefined) return null;
  const { inside, between, sectionSpace = "", leads = false } = form;
  return {
    lead: separator,
    ...(leads ? { leadAlone: separator } : {}),
    section: section ? { open: section.open.text + sectionSpace, close: sectionSpace + section.close.text } : null,
    separator: between,
    call: mergedTexts([{ kind: "text", text: open.text }, ...inside, { kind: "text", text: close.text }]),
    parallel: true,
  };
}

function mergedTexts(elements: readonly CallElement[]): readonly CallElement[] {
  const merged: CallElement[] = [];
  for (const element of elements) {
    const last = merged.at(-1);
    if (element.kind === "text" && last?.kind === "text") {
      merged[merged.length - 1] = { kind: "text", text: last.text + element.text };
    } else merged.push(element);
  }
  return merged;
}

const bareCalls = (call: readonly CallElement[]): CallsLayout => ({
  lead: "",
  section: null,
  separator: "",
  call,
  parallel: false,
  bare: true,
});
