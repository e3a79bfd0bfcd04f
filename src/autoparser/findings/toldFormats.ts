import type { CallsLayout, ObjectElement } from "../../parse/layout/layout.ts";
import type { TemplateView } from "../probe/view.ts";
import type { Proposal } from "./hypothesis.ts";

/*
 * Formats of which the prompt tells the model in words, while the history never shows them.
 */

export const plainObject: ObjectElement = {
  kind: "object",
  name: ["name"],
  arguments: ["arguments"],
  id: null,
  order: [{ key: "name" }, { key: "arguments" }],
  style: { itemSeparator: ", ", keySeparator: ": ", indent: null },
};

const ofTools = ({ told }: TemplateView): string => (told.tools === told.thinking ? "" : told.tools);

/** "respond only with <|tool_call|> followed by a JSON list of tools used" */
export function toldList(view: TemplateView): Proposal | null {
  const marker = /(<\|?[^\s<>]+\|?>) followed by a JSON list/.exec(ofTools(view))?.[1];
  if (marker === undefined) return null;
  const calls: CallsLayout = {
    lead: "",
    section: { open: `${marker}[`, close: "]" },
    separator: ", ",
    call: [plainObject],
    parallel: true,
  };
  return { ...taggedReasoning(view), calls, told: true };
}

/** Tools are listed as Liquid's models know them, whose calls are a list of Python calls between two markers of their own. */
export function toldPythonic(view: TemplateView): Proposal | null {
  if (!/List of tools: (?:<\|tool_list_start\|>)?\[/.test(ofTools(view))) return null;
  const calls: CallsLayout = {
    lead: "",
    section: { open: "<|tool_call_start|>[", close: "]<|tool_call_end|>" },
    separator: ", ",
    call: [
      { kind: "name" },
      {
        kind: "tagged",
        open: "(",
        close: "",
        namePrefix: "",
        separator: ", ",
        values: [
          {
            types: ["string", "number", "integer", "boolean", "null", "array", "object"],
            between: "=",
            suffix: "",
            writing: { kind: "literal" },
          },
        ],
      },
      { kind: "text", text: ")" },
    ],
    parallel: true,
  };
  return { calls, told: true };
}

/** Tags that are named empty where thinking is on: `<think></think>` for thoughts, `<response></response>` for what is said. */
export function taggedReasoning({ told, reasoning, content }: TemplateView): Proposal | null {
  if (reasoning !== null || told.thinking === told.plain) return null;
  const known = new Set(tagPairs(told.plain));
  const [thought, response] = tagPairs(told.thinking).filter((name) => !known.has(name));
  if (thought === undefined) return null;
  return {
    told: true,
    reasoning: { mode: "tag_based", open: `<${thought}>`, close: `</${thought}>` },
    ...(response === undefined
      ? {}
      : { content: { ...content, mode: "wrapped_with_reasoning", open: `<${response}>`, close: `</${response}>` } }),
  };
}

const tagPairs = (text: string): string[] => [...text.matchAll(/<(\w+)><\/\1>/g)].map((match) => match[1]!);
