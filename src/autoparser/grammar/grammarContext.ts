import {
  alternatives,
  empty,
  GbnfBuilder,
  type GbnfExpression,
  literal,
  oneOf,
  repeat,
  type SchemaRulesOptions,
  schemaRules,
  sequence,
} from "../../gbnf/index.ts";
import type { JsonInput } from "../../messages/index.ts";
import { OtherWords } from "./otherWords.ts";
import type { LayoutGrammarOptions } from "./types.ts";

/** What the parts of one grammar share. */
export interface GrammarContext {
  readonly builder: GbnfBuilder;
  /** White space in JSON, and where markers have some: none, a blank, or a new line or two with an indentation. */
  readonly space: GbnfExpression;
  /** Values with Python's words for true, false and null. */
  readonly python: OtherWords;
  /** Values with JSON's words, or Python's. */
  readonly eitherWords: OtherWords;
  readonly loosen: (tool: string, pointer: string, message: string) => void;
}

const deepest = 40;

export const freeSpace = (): GbnfExpression =>
  alternatives(
    empty(),
    literal(" "),
    sequence(repeat(literal("\n"), { min: 1, max: 2 }), repeat(oneOf(" \t"), { max: deepest })),
  );

const isFreeSpace = (text: string): boolean => /^(?: |\n{1,2}[ \t]{0,40})?$/.test(text);

export function newContext({ onLoosened }: Pick<LayoutGrammarOptions, "onLoosened">): GrammarContext {
  const builder = new GbnfBuilder();
  return {
    builder,
    space: builder.rule("space", freeSpace()),
    python: new OtherWords(builder, "python", { true: ["True"], false: ["False"], null: ["None"] }),
    eitherWords: new OtherWords(builder, "literal", {
      true: ["true", "True"],
      false: ["false", "False"],
      null: ["null", "None"],
    }),
    loosen: (tool, pointer, message) => onLoosened?.({ tool, pointer, message }),
  };
}

/** The rules for values of a schema, objects' properties in any order. */
export const schemaValue = (
  context: GrammarContext,
  schema: JsonInput,
  tool: string,
  options: SchemaRulesOptions,
  builder: GbnfBuilder = context.builder,
): GbnfExpression =>
  schemaRules(builder, schema, {
    dialect: "json",
    propertyOrder: "any",
    space: freeSpace(),
    onLoosened: ({ pointer, message }) => context.loosen(tool, pointer, message),
    ...options,
  });

/** White space of a marker: its own, or other. */
export const anySpace = ({ space }: GrammarContext, own: string): GbnfExpression =>
  isFreeSpace(own) ? space : alternatives(space, literal(own));

/** A text whose white space at the ends may be other white space; where it has none, there is none. */
export function looseText(context: GrammarContext, text: string): GbnfExpression {
  const core = text.trim();
  if (core === "") return text === "" ? empty() : anySpace(context, text);
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  return sequence(
    start > 0 ? anySpace(context, text.slice(0, start)) : empty(),
    literal(core),
    end < text.length ? anySpace(context, text.slice(end)) : empty(),
  );
}
