import { pythonJson, pythonRstrip, toPlain, tryParseJson } from "../messages/index.ts";
import { jsonMembers } from "../parse/calls/jsonMembers.ts";
import {
  type CallElement,
  type CallGrammar,
  type CallText,
  isBlank,
  knownStatus,
  type SpokenCall,
  type TokenMarker,
  type ToolCallStatus,
  type ValueForm,
} from "../parse/index.ts";

/*
 * Calls in DSML, whose tags are text around one token, `｜DSML｜`:
 *
 *   <｜DSML｜tool_calls>⏎
 *   <｜DSML｜invoke name="{name}">⏎
 *   <｜DSML｜parameter name="{key}" string="true">{text}</｜DSML｜parameter>⏎
 *   <｜DSML｜parameter name="{key}" string="false">{JSON}</｜DSML｜parameter>⏎
 *   </｜DSML｜invoke>⏎
 *   </｜DSML｜tool_calls>
 *
 * A call without arguments has an empty line in their place.
 */

const INVOKE = "<｜DSML｜invoke";
const INVOKE_END = "</｜DSML｜invoke>";
const PARAMETER_END = "</｜DSML｜parameter>";
const SEPARATOR = "\n\n";

export interface DsmlOptions {
  /** JSON values stay to the letter where the arguments come as text; otherwise they print as Python's `json.dumps` does. */
  readonly exact: boolean;
}

/** All calls of a turn, with what stands between them and the content; `""` if there are none. */
export function writeDsmlCalls(calls: readonly SpokenCall[], { exact }: DsmlOptions): string {
  if (calls.length === 0) return "";
  const invokes = calls.map((call) => {
    const parameters = values(call.argumentsText, exact).map(
      ([key, { text, isString }]) => `<｜DSML｜parameter name="${key}" string="${isString}">${text}${PARAMETER_END}`,
    );
    return `${INVOKE} name="${call.name}">\n${parameters.join("\n")}\n${INVOKE_END}`;
  });
  return `${SEPARATOR}<｜DSML｜tool_calls>\n${invokes.join("\n")}\n</｜DSML｜tool_calls>`;
}

interface DsmlValue {
  readonly text: string;
  readonly isString: boolean;
}

/** Arguments that are no object become the one argument `arguments`. */
function values(argumentsText: string, exact: boolean): (readonly [key: string, value: DsmlValue])[] {
  const read = tryParseJson(argumentsText);
  if (!read.ok || !(read.value instanceof Map)) {
    const isString = !read.ok || typeof read.value === "string";
    return [["arguments", { text: argumentsText, isString }]];
  }
  const members = exact ? jsonMembers(argumentsText) : null;
  return [...read.value].map(([key, value]) => {
    if (typeof value === "string") return [key, { text: value, isString: true }];
    const range = members?.get(key);
    return [key, { text: range ? argumentsText.slice(...range) : pythonJson(value), isString: false }];
  });
}

/** How a response's calls are read; `atom` is the token `｜DSML｜`, without which a tag is only text that looks like one. */
export function dsmlCalls(atom: TokenMarker): CallGrammar {
  const tag = (text: string) => ({ text, id: undefined, atom: atom.id });
  return {
    open: tag(INVOKE),
    close: tag(INVOKE_END),
    section: { open: tag("<｜DSML｜tool_calls>"), close: tag("</｜DSML｜tool_calls>"), optional: true },
    separator: SEPARATOR,
    body: (call, tools) => {
      const { name, parameters, isWhole } = readInvoke(call);
      const members: string[] = [];
      let status: ToolCallStatus = name === null ? "missing_name" : knownStatus(name, tools);
      for (const { key, text, isString } of parameters) {
        const isJson = !isString && tryParseJson(text).ok;
        if (!isString && !isJson && name !== null) status = "invalid_json";
        members.push(`${pythonJson(key)}: ${isJson ? text : pythonJson(text)}`);
      }
      const isTwice = new Set(parameters.map(({ key }) => key)).size < parameters.length;
      if (name !== null && (!isWhole || isTwice)) status = "malformed_structure";
      const argumentsText = `{${members.join(", ")}}`;
      const read = tryParseJson(argumentsText);
      if (!read.ok || !isWhole) return { name, arguments: null, argumentsText: null, id: null, status };
      return { name, arguments: toPlain(read.value), argumentsText, id: null, status };
    },
    endsInside: (call) => readInvoke(call).isOpen,
    unclosed: (call) => ({ name: readInvoke(call).name }),
    form: { inside: INSIDE, between: "\n", sectionSpace: "\n", leads: true },
  };
}

const parameterForm = (types: ValueForm["types"], isString: boolean, writing: ValueForm["writing"]): ValueForm => ({
  types,
  between: `" string="${isString}">`,
  suffix: PARAMETER_END,
  writing,
});

const INSIDE: readonly CallElement[] = [
  { kind: "text", text: ' name="' },
  { kind: "name" },
  { kind: "text", text: '">\n' },
  {
    kind: "tagged",
    open: "",
    close: "\n",
    namePrefix: '<｜DSML｜parameter name="',
    separator: "\n",
    values: [
      parameterForm(["string"], true, { kind: "raw" }),
      parameterForm(["number", "integer", "boolean", "null", "array", "object"], false, { kind: "json" }),
    ],
  },
];

interface Invoke {
  readonly name: string | null;
  readonly parameters: readonly (DsmlValue & { readonly key: string })[];
  /** Nothing stands between and after the parameters but white space. */
  readonly isWhole: boolean;
  /** A parameter has no end. */
  readonly isOpen: boolean;
}

const parameterStart = /\s*<｜DSML｜parameter name="((?:(?!<\/?｜DSML｜)[\s\S])*?)" string="(true|false)">/y;

function readInvoke({ text }: CallText): Invoke {
  const headEnd = text.indexOf(">\n");
  const head = headEnd < 0 ? null : /^ name="([\s\S]+)"$/.exec(text.slice(0, headEnd));
  const name = head?.[1] ?? null;
  const parameters: (DsmlValue & { readonly key: string })[] = [];
  let at = headEnd < 0 ? text.length : headEnd + ">\n".length;
  for (;;) {
    const start = startAt(text, at);
    if (!start) {
      const isWhole = headEnd >= 0 && isBlank(text.slice(at)) && !holdsAnotherCall(text);
      return { name, parameters, isWhole, isOpen: false };
    }
    const from = at + start[0].length;
    const end = parameterEnd(text, from);
    if (end < 0) return { name, parameters, isWhole: false, isOpen: name !== null };
    parameters.push({ key: start[1], text: text.slice(from, end), isString: start[2] === "true" });
    at = end + PARAMETER_END.length;
  }
}

/** A value may hold the closing tag; but where a call begins behind one, the parameter's own end is missing. */
function holdsAnotherCall(text: string): boolean {
  const end = text.indexOf(INVOKE_END);
  return end >= 0 && text.includes(`${INVOKE} name="`, end);
}

/** Where a parameter ends: its closing tag counts only if the next parameter, or nothing, follows. */
function parameterEnd(text: string, from: number): number {
  const blankFrom = pythonRstrip(text).length;
  let end = text.indexOf(PARAMETER_END, from);
  while (end >= 0) {
    const after = end + PARAMETER_END.length;
    if (startAt(text, after) || after >= blankFrom) return end;
    end = text.indexOf(PARAMETER_END, after);
  }
  return -1;
}

function startAt(text: string, at: number): RegExpExecArray | null {
  parameterStart.lastIndex = at;
  return parameterStart.exec(text);
}
