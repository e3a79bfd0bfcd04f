import {
  type CallBody,
  type CallElement,
  type CallGrammar,
  type CallReading,
  type Marker,
  readTaggedCall,
  type TaggedArgumentsOptions,
} from "../parse/index.ts";
import { argumentForms } from "./argumentForms.ts";
import { readTagLayout, type TagLayout } from "./tagLayout.ts";

/*
 * Calls as Qwen3-Coder's format has them:
 *
 *   <tool_call>⏎<function={name}>⏎<parameter={key}>⏎{text}⏎</parameter>⏎…</function>⏎</tool_call>
 */

/** A call with its markers; the arguments' texts are written as they are. */
export function writeFunctionXml(name: string, entries: Iterable<readonly [key: string, text: string]>): string {
  let text = `<tool_call>\n<function=${name}>\n`;
  for (const [key, value] of entries) text += `<parameter=${key}>\n${value}\n</parameter>\n`;
  return `${text}</function>\n</tool_call>`;
}

export interface FunctionXmlOptions extends TaggedArgumentsOptions {
  readonly open: Marker;
  readonly close: Marker;
  /** Written between the content and the first call. */
  readonly separator: string;
}

/**
 * How a response's calls are read. A closing marker inside an argument that is still open belongs to its text. Where the
 * argument is open by the letter only, and closed if white space is not minded, the marker ends the call if nothing else
 * closes it, or if another call begins before that.
 */
export function functionXmlCalls({ open, close, separator, literal }: FunctionXmlOptions): CallGrammar {
  const read = functionXmlBody({ literal });
  const isOpen = (text: string, layout: TagLayout) => readTagLayout(text, layout, layout)?.openKey !== undefined;
  /** Is this not the whole call, although it can be read: it goes on, or has ended at the first closing marker? */
  function isMisjudged(text: string): boolean {
    const end = text.indexOf(close.text);
    if (end < 0) return false;
    if (isOpen(text, exact)) return true;
    return text.includes(open.text, end) && readTagLayout(text.slice(0, end), exact, lenient)?.isWhole === true;
  }
  return {
    open,
    close,
    separator,
    body: (call, tools) => (isMisjudged(call.text) ? MALFORMED : read(call, tools)),
    endsInside: ({ text }) => isOpen(text, exact) || isOpen(text, lenient),
    form: { inside: callElements(literal !== undefined), between: "\n" },
  };
}

const callElements = (pythonWords: boolean): readonly CallElement[] => [
  { kind: "text", text: "\n<function=" },
  { kind: "name" },
  { kind: "text", text: ">\n" },
  {
    kind: "tagged",
    open: "",
    close: "",
    namePrefix: "<parameter=",
    separator: "",
    values: argumentForms(">\n", "\n</parameter>\n", { pythonWords }),
  },
  { kind: "text", text: "</function>\n" },
];

const MALFORMED: CallReading = {
  name: null,
  arguments: null,
  argumentsText: null,
  id: null,
  status: "malformed_structure",
};

/**
 * Reads the text between a call's markers. A closing `</parameter>` counts only where the next parameter or the end follows,
 * so that a value may hold the tag; of the newlines around a value exactly one on each side is the format's. What is not
 * written to the letter is read with any white space between the tags, and without `</function>`. Text that belongs to no
 * parameter is `malformed_structure`, with the name if there is one.
 */
export function functionXmlBody(options: TaggedArgumentsOptions = {}): CallBody {
  return ({ text }, tools) => {
    const parts = readTagLayout(text, exact, lenient);
    if (parts?.isWhole) return readTaggedCall(parts.name, parts.entries, tools, options);
    return { ...MALFORMED, name: parts?.name || null };
  };
}

const exact: TagLayout = {
  head: /\n<function=([^\n]*?)>\n/y,
  open: /<parameter=([^\n]*?)>\n/y,
  close: /\n<\/parameter>\n/g,
  end: /<\/function>\n$/y,
};

const lenient: TagLayout = {
  head: /[ \t\r\n]*<function=([^>\n]*)>[ \t\r\n]*/y,
  open: /<parameter=([^>\n]*)>\n?/y,
  close: /\n?<\/parameter>[ \t\r\n]*/g,
  end: /(?:<\/function>[ \t\r\n]*)?$/y,
};
