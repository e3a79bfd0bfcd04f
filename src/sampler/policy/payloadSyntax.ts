import type { CallElement, CallsLayout, ObjectElement, TaggedElement } from "../../parse/index.ts";
import type { JsonPayload, PayloadSyntax, TagPayload, TagValue } from "./types.ts";

/** Where in a layout's calls payload stands, behind the text that begins them; null: nowhere. */
export function payloadSyntax({ call, section }: CallsLayout, start: string): PayloadSyntax | null {
  const at = call.findIndex(({ kind }) => kind === "json" || kind === "object" || kind === "tagged");
  const element = call[at];
  if (element === undefined) return null;
  if (element.kind === "tagged") return taggedPayload(element, call, at, section?.close ?? "");
  const behind = textBehindBrackets(call.slice(0, at), start);
  const marked: Pick<JsonPayload, "behind"> = behind === "" ? {} : { behind };
  if (element.kind === "object") return { kind: "json", ...marked, ...objectPayload(element) };
  return { kind: "json", ...marked };
}

function objectPayload({ name, arguments: path, argumentsAreText }: ObjectElement): Omit<JsonPayload, "kind"> {
  const within = name.length === 0 ? [null] : path;
  return argumentsAreText === true ? { within, asText: true } : { within };
}

/** The text before JSON, where brackets stand before that. */
function textBehindBrackets(before: readonly CallElement[], start: string): string {
  const texts = before.flatMap((one) => (one.kind === "text" ? [one.text] : []));
  const [first = "", ...others] = texts;
  const at = first.indexOf(start);
  const behind = at < 0 ? first : first.slice(at + start.length);
  return /[[{(]/.test([behind, ...others].join("")) ? (others.at(-1) ?? behind).trim() : "";
}

function taggedPayload(
  element: TaggedElement,
  call: readonly CallElement[],
  at: number,
  sectionClose: string,
): PayloadSyntax | null {
  const { open, close, namePrefix, separator } = element;
  const next = call[at + 1];
  const rest = close + (next?.kind === "text" ? next.text : next === undefined ? sectionClose : "");
  const quote = objectQuote(element, rest);
  if (quote !== undefined) return quote === "" ? { kind: "json" } : { kind: "json", quote };
  const begins = (text: string) => text.trim().split(/\s/, 1)[0];
  const follow = [(separator + namePrefix).trim(), begins(rest)].filter((text) => text !== "");
  const before = call[at - 1];
  const begin = open.trim() || (before?.kind === "text" ? before.text.trim() : "");
  return {
    kind: "tags",
    ...(namePrefix.trim() === "" ? (begin === "" ? {} : { begin }) : { name: namePrefix.trim() }),
    values: tagValues(element),
    ...(follow.length > 0 ? { follow } : {}),
  } satisfies TagPayload;
}

/** All arguments are written like one object, with these quotes around strings: it is read as such. */
function objectQuote({ open, namePrefix, separator, values }: TaggedElement, rest: string): string | undefined {
  const quotes = values.map(({ between, suffix, writing }) =>
    between.trim() === ":" && suffix.trim() === "" && writing.kind === "literal" ? (writing.quote ?? "") : null,
  );
  const isObject = open.trim().endsWith("{") && rest.trim().startsWith("}");
  const isPlain = namePrefix.trim() === "" && separator.trim() === ",";
  const [quote] = quotes;
  return isObject && isPlain && quotes.every((one) => one !== null && one === quote) ? (quote ?? undefined) : undefined;
}

/** Values that stand between the same texts are told apart by nothing: all are payload then. */
function tagValues({ values }: TaggedElement): readonly TagValue[] {
  const byOpen = new Map<string, TagValue>();
  for (const { between, suffix, writing } of values) {
    const known = byOpen.get(between.trim());
    const isText = writing.kind === "raw" || writing.kind === "elements" || known !== undefined;
    const fence =
      writing.kind === "raw" && writing.fence ? { open: writing.fence.open, close: writing.fence.close } : known?.fence;
    const nested = writing.kind === "elements" || known?.nested === true;
    byOpen.set(between.trim(), {
      open: between,
      close: known?.close ?? suffix,
      writing: isText && suffix.trim() !== "" ? "text" : "literal",
      ...(fence ? { fence } : {}),
      ...(nested ? { nested } : {}),
    });
  }
  return [...byOpen.values()];
}
