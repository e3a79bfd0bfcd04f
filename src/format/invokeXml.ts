import {
  type CallBody,
  type CallElement,
  type CallGrammar,
  readTaggedCall,
  type SectionGrammar,
  type TaggedArgumentsOptions,
} from "../parse/index.ts";
import { argumentForms } from "./argumentForms.ts";
import { readTagLayout, type TagLayout, type TagParts } from "./tagLayout.ts";

/*
 * Calls in a section, with values in one line with their tags:
 *
 *   {section}⏎<invoke name="{name}">⏎<parameter name="{key}">{text}</parameter>⏎…</invoke>⏎<invoke …>⏎…</invoke>⏎{section end}
 */

const OPEN = '<invoke name="';
const CLOSE = "</invoke>";

/** A call without its section; the arguments' texts are written as they are. */
export function writeInvokeXml(name: string, entries: Iterable<readonly [key: string, text: string]>): string {
  let text = `${OPEN}${name}">\n`;
  for (const [key, value] of entries) text += `<parameter name="${key}">${value}</parameter>\n`;
  return text + CLOSE;
}

export interface InvokeXmlOptions extends TaggedArgumentsOptions {
  readonly section: SectionGrammar;
  /** Written between the content and the section. */
  readonly separator: string;
}

/** How a response's calls are read. A closing marker inside an argument that is still open belongs to its text. */
export function invokeXmlCalls({ section, separator, ...options }: InvokeXmlOptions): CallGrammar {
  return {
    open: { text: OPEN, id: undefined },
    close: { text: CLOSE, id: undefined },
    section,
    separator,
    body: invokeXmlBody(options),
    endsInside: ({ text }) => readParts(text)?.openKey !== undefined,
    form: { inside: INSIDE, between: "\n", sectionSpace: "\n", leads: true },
  };
}

const INSIDE: readonly CallElement[] = [
  { kind: "name" },
  { kind: "text", text: '">\n' },
  {
    kind: "tagged",
    open: "",
    close: "",
    namePrefix: '<parameter name="',
    separator: "",
    values: argumentForms('">', "</parameter>\n"),
  },
];

/**
 * Reads the text between a call's markers. A closing `</parameter>` counts only where the next parameter or the end follows,
 * so that a value may hold the tag. What is not written to the letter is read with any white space between the tags. Text
 * that belongs to no parameter is `malformed_structure`, with the name if there is one.
 */
function invokeXmlBody(options: TaggedArgumentsOptions): CallBody {
  return ({ text }, tools) => {
    const parts = readParts(text);
    if (parts?.isWhole && !holdsAnotherCall(text)) return readTaggedCall(parts.name, parts.entries, tools, options);
    const name = parts?.name || null;
    return { name, arguments: null, argumentsText: null, id: null, status: "malformed_structure" };
  };
}

const exact: TagLayout = {
  head: /([^\n]*?)">\n/y,
  open: /<parameter name="([^\n]*?)">/y,
  close: /<\/parameter>\n/g,
  end: /$/y,
};

const lenient: TagLayout = {
  head: /([^">\n]*)">[ \t\r\n]*/y,
  open: /<parameter name="([^">\n]*)">/y,
  close: /<\/parameter>[ \t\r\n]*/g,
  end: /$/y,
};

const readParts = (text: string): TagParts | null => readTagLayout(text, exact, lenient);

/** A value may hold the closing tag; but where a whole call follows one, the parameter's own end is missing. */
function holdsAnotherCall(text: string): boolean {
  for (const { index, 0: seam } of text.matchAll(/<\/invoke>[ \t\r\n]*<invoke name="/g)) {
    if (readParts(text.slice(index + seam.length))?.isWhole) return true;
  }
  return false;
}
