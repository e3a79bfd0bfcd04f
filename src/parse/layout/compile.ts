import type { CallElement, ObjectElement, ResponseLayout, TaggedElement, ValueForm } from "./layout.ts";
import { joined, type Pattern, patternOf } from "./pieces.ts";

/** What a marker that stands between parts begins or ends. */
export interface PartMarker {
  readonly kind:
    | "reasoning"
    /** An opener that its closer follows: it says nothing. */
    | "nothing"
    | "strayClose"
    | "content"
    | "contentClose"
    | "call"
    | "lateCall"
    | "sectionClose"
    | "glue";
  /** Belongs to no part: what leads to a call, or closes the message before. */
  readonly prefix: Pattern;
  readonly pattern: Pattern;
  readonly length: number;
}

export interface CompiledForm {
  readonly form: ValueForm;
  readonly between: Pattern;
  readonly suffix: (name: string) => Pattern;
  readonly quote: Pattern | undefined;
  readonly fence: { readonly open: string; readonly suffix: (name: string) => Pattern } | undefined;
}

export interface CompiledTagged {
  readonly kind: "tagged";
  readonly element: TaggedElement;
  readonly open: Pattern;
  readonly close: Pattern;
  readonly prefix: Pattern;
  readonly separator: Pattern;
  /** Longest `between` first. */
  readonly forms: readonly CompiledForm[];
  /** What stands behind the arguments up to the call's end, `close` included. */
  readonly rest: Pattern;
}

export type CompiledElement =
  | { readonly kind: "text"; readonly pattern: Pattern }
  | { readonly kind: "name" | "index" | "json" }
  | { readonly kind: "id"; readonly namesFunction: boolean }
  | ObjectElement
  | CompiledTagged;

export interface CompiledCalls {
  readonly elements: readonly CompiledElement[];
  readonly section: { readonly open: Pattern; readonly close: Pattern } | null;
  readonly separator: Pattern;
  /** The call's first text; no pieces: it begins with something else. */
  readonly first: Pattern;
  readonly bare: boolean;
}

export interface CompiledLayout {
  readonly layout: ResponseLayout;
  readonly reasoning: { readonly opens: readonly Pattern[]; readonly close: Pattern; readonly trim: string } | null;
  readonly content: { readonly opens: readonly Pattern[]; readonly close: Pattern };
  readonly calls: CompiledCalls | null;
  readonly lead: Pattern;
  readonly glue: readonly Pattern[];
  readonly end: Pattern;
  /** Where no part is open. */
  readonly outside: readonly PartMarker[];
  /** Within content. */
  readonly inside: readonly PartMarker[];
  readonly pattern: (text: string) => Pattern;
}

const compiledTexts = new WeakMap<ResponseLayout, CompiledLayout>();

/** `added`: contents of the tokenizer's added tokens; without any, a layout is compiled once. */
export function compileLayout(layout: ResponseLayout, added: readonly string[] = []): CompiledLayout {
  const known = added.length === 0 ? compiledTexts.get(layout) : undefined;
  if (known) return known;
  const compiled = compile(layout, added);
  if (added.length === 0) compiledTexts.set(layout, compiled);
  return compiled;
}

function compile(layout: ResponseLayout, added: readonly string[]): CompiledLayout {
  const relevant = added.filter((one) => one !== "").sort((a, b) => b.length - a.length);
  const pattern = (text: string): Pattern => patternOf(text, relevant);
  const patterns = (texts: readonly (string | undefined)[]): Pattern[] =>
    texts.filter((one): one is string => one !== undefined && one !== "").map(pattern);
  const { reasoning, content, calls } = layout;
  const none = pattern("");
  const opens = reasoning ? patterns([reasoning.open, ...(reasoning.alsoOpens ?? [])]) : [];
  const close = pattern(reasoning?.close ?? "");
  const contentOpens = patterns([content.open, ...(content.alsoOpens ?? [])]);
  const contentClose = pattern(content.close);
  const compiled = calls ? compileCalls(layout, pattern) : null;
  const end = pattern(layout.end);
  const hasPieces = ({ pieces }: Pattern): boolean => pieces.length > 0;
  const glue = patterns(layout.glue);
  const marker = (kind: PartMarker["kind"], one: Pattern, prefix = none): PartMarker => ({
    kind,
    pattern: one,
    prefix,
    length: one.pieces.length + prefix.pieces.length,
  });
  const lead = pattern(calls?.lead ?? "");
  const opener = compiled ? (compiled.section?.open ?? compiled.first) : null;
  const leads = distinct([lead, pattern(calls?.leadAlone ?? ""), compiled?.separator ?? none, ...glue, none]);
  const callMarkers = opener ? leads.map((one) => marker("call", opener, one)).filter(({ length }) => length > 0) : [];
  const late = compiled ? lateOpener(compiled, pattern) : undefined;
  if (late) callMarkers.push(...leads.map((one) => marker("lateCall", late, one)));
  const ends =
    compiled?.section && hasPieces(compiled.section.close) ? [marker("sectionClose", compiled.section.close)] : [];
  const reasons = opens.filter(hasPieces).map((one) => marker("reasoning", one));
  const contents = contentOpens.filter(hasPieces).map((one) => marker("content", one));
  const enders = [...glue, end].filter(hasPieces);
  const byLength = (markers: PartMarker[]) => markers.sort((a, b) => b.length - a.length);
  const closes = close.pieces.length > 0 ? [marker("strayClose", close)] : [];
  return {
    layout,
    reasoning: reasoning ? { opens, close, trim: pattern(reasoning.open).trail } : null,
    content: { opens: contentOpens, close: contentClose },
    calls: compiled,
    lead,
    glue,
    end,
    outside: byLength([
      ...reasons,
      ...closes,
      ...contents,
      ...callMarkers,
      ...ends,
      ...enders.map((one) => marker("glue", one)),
    ]),
    inside: byLength([
      ...(reasoning?.repeats ? reasons : []),
      ...(hasPieces(close) ? opens.filter(hasPieces).map((one) => marker("nothing", joined(one, close))) : []),
      ...contents,
      ...(hasPieces(contentClose) ? [marker("contentClose", contentClose)] : []),
      ...callMarkers,
      ...glue.filter(hasPieces).flatMap((one) => [...reasons, ...contents].map((m) => marker(m.kind, m.pattern, one))),
      ...enders.map((one) => marker("glue", one)),
    ]),
    pattern,
  };
}

/** A call without its first marker, or without the section around it: models leave them out. */
function lateOpener({ section, first }: CompiledCalls, pattern: (text: string) => Pattern): Pattern | undefined {
  const text = section
    ? first.text.trim()
    : first.text
        .trim()
        .slice(first.pieces[0]?.text.length ?? 0)
        .trim();
  const late = pattern(text);
  const [opening] = late.pieces;
  return opening && opening.text.length > 3 && /^[<[]/.test(opening.text) ? { ...late, trail: first.trail } : undefined;
}

function distinct(patterns: readonly Pattern[]): Pattern[] {
  const known = new Map<string, Pattern>();
  for (const one of patterns) known.set(one.pieces.map(({ text }) => text).join("\n"), one);
  return [...known.values()];
}

function compileCalls({ calls }: ResponseLayout, pattern: (text: string) => Pattern): CompiledCalls | null {
  if (!calls) return null;
  const merged: CallElement[] = [];
  for (const element of calls.call) {
    const last = merged.at(-1);
    if (element.kind === "text" && last?.kind === "text")
      merged[merged.length - 1] = { kind: "text", text: last.text + element.text };
    else merged.push(element);
  }
  const elements = merged.map((element, at): CompiledElement => {
    if (element.kind === "text") return { kind: "text", pattern: pattern(element.text) };
    if (element.kind === "id") return { kind: "id", namesFunction: element.namesFunction === true };
    if (element.kind !== "tagged") return element;
    const next = merged[at + 1];
    const close = pattern(element.close);
    return {
      kind: "tagged",
      element,
      open: pattern(element.open),
      close,
      prefix: pattern(element.namePrefix),
      separator: pattern(element.separator),
      forms: element.values
        .map(
          (form): CompiledForm => ({
            form,
            between: pattern(form.between),
            suffix: suffixOf(form.suffix, pattern),
            fence:
              form.writing.kind === "raw" && form.writing.fence
                ? { open: form.writing.fence.open, suffix: suffixOf(form.writing.fence.close + form.suffix, pattern) }
                : undefined,
            quote: form.writing.kind === "literal" && form.writing.quote ? pattern(form.writing.quote) : undefined,
          }),
        )
        .sort((a, b) => b.between.text.length - a.between.text.length),
      rest: next?.kind === "text" ? joined(close, pattern(next.text)) : close,
    };
  });
  const first = elements[0];
  return {
    elements,
    section: calls.section ? { open: pattern(calls.section.open), close: pattern(calls.section.close) } : null,
    separator: pattern(calls.separator),
    first: first?.kind === "text" ? first.pattern : pattern(""),
    bare: calls.bare === true,
  };
}

const constant =
  (one: Pattern): (() => Pattern) =>
  () =>
    one;

const suffixOf = (suffix: string, pattern: (text: string) => Pattern): ((name: string) => Pattern) =>
  suffix.includes("{name}") ? named(suffix, pattern) : constant(pattern(suffix));

/** Asked for again and again with one name. */
function named(suffix: string, pattern: (text: string) => Pattern): (name: string) => Pattern {
  let known = { name: "", pattern: pattern(suffix.replaceAll("{name}", "")) };
  return (name) => {
    if (known.name !== name) known = { name, pattern: pattern(suffix.replaceAll("{name}", () => name)) };
    return known.pattern;
  };
}
