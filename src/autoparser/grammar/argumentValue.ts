import {
  alternatives,
  type GbnfBuilder,
  type GbnfExpression,
  literal,
  noneOf,
  repeat,
  type StringSpelling,
  sequence,
} from "../../gbnf/index.ts";
import { isList } from "../../gbnf/schema/fields.ts";
import type { JsonInput } from "../../messages/index.ts";
import type { TextFence, ValueWriting } from "../../parse/layout/layout.ts";
import { accepts, spellAutomaton, type TextPattern, withoutPatterns } from "./automaton.ts";
import { type GrammarContext, schemaValue } from "./grammarContext.ts";
import { jsonStrings, markedStrings, pythonStrings } from "./quotedTexts.ts";
import { type SchemaBranch, withDefinitions, withoutTextLimits } from "./schemaBranches.ts";

/** An argument whose value is to be written. */
export interface ArgumentPlace {
  readonly tool: string;
  readonly key: string;
  /** The schema that references are about. */
  readonly root: JsonInput;
  /** What would end the value, so that no text in it holds it. */
  readonly endings: readonly TextPattern[];
}

/** How values of one type are written. Nested tags are not among these writings. */
export function argumentValue(
  context: GrammarContext,
  branch: SchemaBranch,
  writing: Exclude<ValueWriting, { readonly kind: "elements" }>,
  place: ArgumentPlace,
): GbnfExpression {
  const { endings, tool, key } = place;
  const schema = withDefinitions(branch.schema, place.root);
  const name = `${tool}-${key}`;
  if (writing.kind === "literal") return literalValue(context, schema, writing, place);
  if (branch.type === "string" && writing.kind === "raw") return fencedText(context, branch, writing.fence, place);
  if (branch.type === "string" && writing.kind === "python") return rawText(context, branch, place);
  if (writing.kind === "python") {
    const limited = withoutTextLimits(schema);
    return context.python.add((builder) => {
      const strings = pythonStrings(builder, endings);
      return schemaValue(context, limited, tool, { strings, keys: strings, name }, builder);
    });
  }
  if (endings.length === 0) return schemaValue(context, schema, tool, { name });
  const strings = jsonStrings(context.builder, endings);
  return schemaValue(context, schema, tool, { strings, keys: strings, name });
}

/** Text without quotation marks, which may need a fence. */
function fencedText(
  context: GrammarContext,
  branch: SchemaBranch,
  fence: TextFence | undefined,
  place: ArgumentPlace,
): GbnfExpression {
  if (fence === undefined) return rawText(context, branch, place);
  const { endings } = place;
  const plain = rawText(context, branch, { ...place, endings: [...endings, [...fence.open]] });
  const inside = rawText(context, branch, { ...place, endings: [[...fence.close]] });
  return alternatives(plain, sequence(literal(fence.open), inside, literal(fence.close)));
}

/** Text without quotation marks. */
function rawText(context: GrammarContext, { schema }: SchemaBranch, place: ArgumentPlace): GbnfExpression {
  const { builder } = context;
  const { endings, tool, key, root } = place;
  const automaton = withoutPatterns(endings);
  const body = spellAutomaton(builder, automaton, "raw-text");
  const values = schema.has("const") ? [schema.get("const")!] : schema.get("enum");
  if (isList(values)) {
    const texts = values.filter((one) => typeof one === "string");
    const safe = texts.filter((text) => accepts(automaton, text));
    return alternatives(...(safe.length > 0 ? safe : texts).map((text) => literal(text)));
  }
  for (const length of ["minLength", "maxLength"]) {
    if (schema.has(length)) context.loosen(tool, `/properties/${key}/${length}`, "texts without quotes have no limits");
  }
  if (!schema.has("pattern") && !schema.has("format")) return body;
  const first = endings.map(([one]) => (typeof one === "string" ? one : "")).join("");
  let mayEnd = false;
  const strings: StringSpelling = {
    open: literal(""),
    close: literal(""),
    character: noneOf(first === "" ? "\0" : first),
    body,
    spell: (text) => text,
    member: (set) => {
      mayEnd ||= set.some(([from, to]) =>
        [...first].some((one) => from <= one.codePointAt(0)! && one.codePointAt(0)! <= to),
      );
      return { kind: "class", negated: false, ranges: set };
    },
  };
  const limits = new Map([...schema].filter(([keyword]) => ["type", "pattern", "format"].includes(keyword)));
  const limited = schemaValue(context, withDefinitions(limits, root), tool, {
    strings,
    keys: strings,
    name: `${tool}-${key}`,
  });
  if (!mayEnd) return limited;
  context.loosen(tool, `/properties/${key}/pattern`, "its texts may hold what ends a value here");
  return body;
}

function literalValue(
  context: GrammarContext,
  schema: JsonInput,
  { quote, bareKeys }: Extract<ValueWriting, { readonly kind: "literal" }>,
  { tool, key }: ArgumentPlace,
): GbnfExpression {
  const value = (limited: JsonInput, spelling: (builder: GbnfBuilder) => StringSpelling): GbnfExpression =>
    context.eitherWords.add((builder) => {
      const strings = spelling(builder);
      const keys = bareKeys === true ? bareWords : strings;
      return schemaValue(context, limited, tool, { strings, keys, name: `${tool}-${key}` }, builder);
    });
  const json = () => value(schema, (builder) => jsonStrings(builder, []));
  if (quote === undefined || quote === '"') return json();
  let mayEnd = false;
  const meetsEnd = () => {
    mayEnd = true;
  };
  const held = value(withoutTextLimits(schema, "lengths"), (builder) => markedStrings(builder, quote, meetsEnd));
  const marked = mayEnd ? value(withoutTextLimits(schema), (builder) => markedStrings(builder, quote, meetsEnd)) : held;
  return quote.length === 1 ? alternatives(marked, json()) : marked;
}

const keyCharacter = noneOf([
  [0, 0x20],
  ...[..."\"'<>{}[]:,|"].map((one): [number, number] => [one.codePointAt(0)!, one.codePointAt(0)!]),
  [0x80, 0xa0],
  [0x2000, 0x206f],
  [0x3000, 0x3000],
]);

const bareWords: StringSpelling = {
  open: literal(""),
  close: literal(""),
  character: keyCharacter,
  body: sequence(repeat(keyCharacter, { min: 1 }), repeat(sequence(literal(" "), repeat(keyCharacter, { min: 1 })))),
  spell: (text) => text,
};
