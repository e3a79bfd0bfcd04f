import type { CodePointSet } from "../codePoints.ts";
import { alternatives, empty, literal, noneOf, oneOf, repeat, sequence } from "../expressions.ts";
import type { GbnfBuilder } from "../gbnfBuilder.ts";
import { printExpression } from "../printGbnf.ts";
import type { GbnfExpression, GbnfReference } from "../types.ts";
import { control, delCharacter, digit, hexDigit, jsonMember } from "./characters.ts";

/** How a value format writes texts. */
export interface StringSpelling {
  readonly open: GbnfExpression;
  readonly close: GbnfExpression;
  /** One character of the text, as it is written. */
  readonly character: GbnfExpression;
  /** Any text between the quotes. Default: any number of `character`. */
  readonly body?: GbnfExpression | undefined;
  /** How a text is written between the quotes. */
  readonly spell: (text: string) => string;
  /** How one character of a set is written. Default: as it is. */
  readonly member?: ((set: CodePointSet) => GbnfExpression) | undefined;
}

/** A part of a schema that the grammar does not enforce. */
export interface Loosened {
  /** JSON pointer of the keyword. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

export interface SchemaGrammarOptions {
  /**
   * `"llama.cpp"` (default): the language of llama.cpp's own converter, with its slips: patterns match the text as it is
   * written (escapes included), additional keys may hold raw quotes, `-0` and some leading zeros pass, in `allOf` every
   * property is required. `"json"`: nothing but JSON that fits the schema.
   */
  readonly dialect?: "llama.cpp" | "json" | undefined;
  /** White space between tokens. Default as in llama.cpp: nothing, a blank, or one or two new lines with up to 20 blanks. */
  readonly space?: GbnfExpression | undefined;
  /**
   * `"requiredFirst"` (default, as llama.cpp): required properties in the schema's order, then the others; `"schema"`: the
   * schema's order; `"any"`: any order, for at most six properties (the others as in `"schema"`, which counts as loosened).
   */
  readonly propertyOrder?: "requiredFirst" | "schema" | "any" | undefined;
  /** How many digits a number may have before and behind its point. Default 16, as llama.cpp; 40 in the dialect `"json"`. */
  readonly digits?: number | undefined;
  /** How texts are written. Default: JSON strings. */
  readonly strings?: StringSpelling | undefined;
  /** How keys are written. Default: JSON strings. */
  readonly keys?: StringSpelling | undefined;
  /** Hears of every part of the schema that the grammar does not enforce. */
  readonly onLoosened?: ((loosened: Loosened) => void) | undefined;
  /** Refuse a schema with such a part. Default false. */
  readonly strict?: boolean | undefined;
}

export interface SchemaSettings {
  readonly builder: GbnfBuilder;
  readonly exact: boolean;
  readonly space: GbnfExpression;
  readonly propertyOrder: "requiredFirst" | "schema" | "any";
  readonly digits: number;
  readonly strings: StringSpelling;
  readonly keys: StringSpelling;
  /** Whether texts are JSON strings. */
  readonly plainStrings: boolean;
  /** Rules are shared among conversions with one key. */
  readonly key: string;
}

export function schemaSettings(builder: GbnfBuilder, options: SchemaGrammarOptions): SchemaSettings {
  const exact = options.dialect === "json";
  const space = builder.rule("space", options.space ?? llamaSpace());
  const digits = options.digits ?? (exact ? 40 : 16);
  const json = jsonStrings(builder, exact);
  const strings = options.strings ?? json;
  const keys = options.keys ?? json;
  const prints = (one: StringSpelling) =>
    [one.open, one.character, one.body ?? empty(), one.close].map(printExpression);
  return {
    builder,
    exact,
    space: options.space !== undefined && printExpression(options.space) === "" ? empty() : space,
    propertyOrder: options.propertyOrder ?? "requiredFirst",
    digits,
    strings,
    keys,
    plainStrings: options.strings === undefined && options.keys === undefined,
    key: JSON.stringify([exact, digits, space.name, prints(strings), prints(keys)]),
  };
}

const llamaSpace = (): GbnfExpression =>
  alternatives(
    empty(),
    literal(" "),
    sequence(repeat(literal("\n"), { min: 1, max: 2 }), repeat(oneOf(" \t"), { max: 20 })),
  );

function jsonStrings(builder: GbnfBuilder, exact: boolean): StringSpelling {
  const raw = noneOf([[0x22, 0x22], [0x5c, 0x5c], ...(exact ? [] : [delCharacter]), control]);
  const escaped = sequence(
    oneOf("\\"),
    alternatives(
      oneOf(exact ? '"\\/bfnrt' : '"\\bfnrt'),
      sequence(literal("u"), repeat(hexDigit(), { min: 4, max: 4 })),
    ),
  );
  return {
    open: literal('"'),
    close: literal('"'),
    character: builder.rule("char", alternatives(raw, escaped)),
    spell: (text) => JSON.stringify(text).slice(1, -1),
    ...(exact ? { member: jsonMember } : {}),
  };
}

/** Any text between the quotes. */
export const anyText = (spelling: StringSpelling): GbnfExpression => spelling.body ?? repeat(spelling.character);

export const quoted = (spelling: StringSpelling, body: GbnfExpression): GbnfExpression =>
  sequence(spelling.open, body, spelling.close);

/** A known text with its quotes; one literal if the quotes are. */
export function spelled(spelling: StringSpelling, text: string): GbnfExpression {
  const { open, close } = spelling;
  if (open.kind === "literal" && close.kind === "literal") {
    return literal(open.text + spelling.spell(text) + close.text);
  }
  return quoted(spelling, literal(spelling.spell(text)));
}

/** The rules every schema may need. */
export function primitives(settings: SchemaSettings) {
  const { builder, space, digits, strings, keys, key } = settings;
  const shared = (name: string, make: () => GbnfExpression): GbnfReference =>
    builder.shared(`schema:${name}:${key}`, name, make);
  const comma = () => sequence(literal(","), space);
  const all = {
    boolean: () => shared("boolean", () => alternatives(literal("true"), literal("false"))),
    null: () => shared("null", () => literal("null")),
    whole: () =>
      shared("integral-part", () =>
        alternatives(literal("0"), sequence(oneOf([[0x31, 0x39]]), repeat(digit(), { max: digits - 1 }))),
      ),
    decimals: () => shared("decimal-part", () => repeat(digit(), { min: 1, max: digits })),
    integer: () => shared("integer", () => sequence(repeat(literal("-"), { max: 1 }), all.whole())),
    number: () =>
      shared("number", () => {
        const exponent = settings.exact ? all.decimals() : all.whole();
        return sequence(
          all.integer(),
          repeat(sequence(literal("."), all.decimals()), { max: 1 }),
          repeat(sequence(oneOf("eE"), repeat(oneOf("-+"), { max: 1 }), exponent), { max: 1 }),
        );
      }),
    string: () => shared("string", () => quoted(strings, anyText(strings))),
    key: () => (keys === strings ? all.string() : shared("key", () => quoted(keys, anyText(keys)))),
    pair: () => shared("pair", () => sequence(all.key(), literal(":"), space, all.value())),
    object: () =>
      shared("object", () =>
        sequence(
          literal("{"),
          space,
          repeat(sequence(all.pair(), repeat(sequence(comma(), all.pair()))), { max: 1 }),
          space,
          literal("}"),
        ),
      ),
    array: () =>
      shared("array", () =>
        sequence(
          literal("["),
          space,
          repeat(sequence(all.value(), repeat(sequence(comma(), all.value()))), { max: 1 }),
          space,
          literal("]"),
        ),
      ),
    value: (): GbnfReference =>
      shared("value", () =>
        alternatives(all.object(), all.array(), all.string(), all.number(), all.boolean(), all.null()),
      ),
  };
  return all;
}

export type Primitives = ReturnType<typeof primitives>;
