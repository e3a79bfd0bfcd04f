import { alternatives, empty, type GbnfExpression, literal, sequence } from "../../gbnf/index.ts";
import { fieldsOf, isList, isObject, type SchemaObject, textsOf } from "../../gbnf/schema/fields.ts";
import { resolveReference } from "../../gbnf/schema/references.ts";
import type { JsonInput } from "../../messages/index.ts";
import type { JsonType, TaggedElement, ValueForm } from "../../parse/layout/layout.ts";
import { type ArgumentPlace, argumentValue } from "./argumentValue.ts";
import { otherWords, spellAutomaton } from "./automaton.ts";
import { elementValue } from "./elementValue.ts";
import type { GrammarContext } from "./grammarContext.ts";
import { inAnyOrder } from "./inAnyOrder.ts";
import { type SchemaBranch, schemaBranches } from "./schemaBranches.ts";
import { type CallRest, valueEndings } from "./valueEndings.ts";

export interface TaggedPlace {
  readonly tool: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonInput;
  /** What stands behind the arguments up to the call's end. */
  readonly rest: string;
  /** What may follow a call. */
  readonly after: readonly string[];
}

/** Characters that the name of an argument which no schema knows does not have. */
const noKeyCharacters = `${String.fromCharCode(...Array.from({ length: 0x21 }, (_, code) => code))}\u0085\u00a0\u2028\u2029\u3000"'<>{}()[],=:|`;

/** Arguments one by one: in any order if they are few, each once. */
export function taggedArguments(context: GrammarContext, element: TaggedElement, place: TaggedPlace): GbnfExpression {
  const { open, close, namePrefix, separator } = element;
  const { tool, parameters, rest, after } = place;
  const { properties, required, additional } = argumentsOf(parameters);
  const keys = [...properties.keys()];
  if (element.sorted === true && keys.length > 6) keys.sort(compareKeys);
  const callRest: CallRest = {
    next: separator + namePrefix,
    betweens: [...new Set(element.values.map(({ between }) => between))],
    rest: close + rest,
    after,
  };
  const argument = (key: string, name: GbnfExpression, schema: JsonInput): GbnfExpression => {
    const forms = new Map<ValueForm, SchemaBranch[]>();
    for (const branch of schemaBranches(schema, parameters)) {
      for (const form of formsOf(element, branch.type)) forms.set(form, [...(forms.get(form) ?? []), branch]);
    }
    const values = [...forms].map(([form, branches]) => {
      const suffix = form.suffix.replaceAll("{name}", () => key);
      const endsItself =
        form.writing.kind === "literal" || (form.writing.kind === "json" && readsItself(element, form));
      const endings = endsItself ? [] : valueEndings(suffix, callRest);
      const where: ArgumentPlace = { tool, key, root: parameters, endings };
      const written = branches.map((branch) =>
        form.writing.kind === "elements"
          ? elementValue(context, element, form, branch, where)
          : argumentValue(context, branch, form.writing, where),
      );
      return sequence(literal(form.between), alternatives(...written), literal(suffix));
    });
    return sequence(literal(namePrefix), name, alternatives(...values));
  };
  const items = keys.map((key) => ({
    item: context.builder.rule(`${tool}-${key}-argument`, argument(key, literal(key), properties.get(key)!)),
    required: required.has(key),
  }));
  // A name that stands also behind its value could be another one there.
  const isFree = additional !== false && element.values.every(({ suffix }) => !suffix.includes("{name}"));
  const others = isFree
    ? context.builder.rule(
        `${tool}-other-argument`,
        argument("other", spellAutomaton(context.builder, otherWords(keys, noKeyCharacters), "other-name"), additional),
      )
    : null;
  // Templates that write an argument to a line write an empty one for none.
  const none = open.endsWith("\n") ? context.space : empty();
  const list = inAnyOrder(context.builder, `${tool}-arguments`, items, literal(separator), others, none);
  return sequence(literal(open), list, literal(close));
}

interface Arguments {
  readonly properties: ReadonlyMap<string, JsonInput>;
  readonly required: ReadonlySet<string>;
  /** Schema of arguments that are not named; false: there are none. */
  readonly additional: JsonInput;
}

function argumentsOf(parameters: JsonInput): Arguments {
  const properties = new Map<string, JsonInput>();
  const required = new Set<string>();
  let additional: JsonInput | undefined;
  const read = (schema: JsonInput | undefined, depth: number): void => {
    if (!isObject(schema) || depth > 20) return;
    const fields = fieldsOf(schema);
    const reference = fields.get("$ref");
    if (typeof reference === "string") read(resolveReference(parameters, reference, "/$ref"), depth + 1);
    const own = fields.get("properties");
    for (const [key, value] of isObject(own) ? fieldsOf(own) : new Map<string, JsonInput>()) {
      if (value !== false) properties.set(key, value);
    }
    for (const key of textsOf(fields.get("required"))) required.add(key);
    additional ??= fields.get("additionalProperties");
    const parts = fields.get("allOf");
    for (const part of isList(parts) ? parts : []) read(part, depth + 1);
  };
  read(parameters, 0);
  const isNamed = isObject(parameters) && (properties.size > 0 || namesProperties(fieldsOf(parameters)));
  for (const key of required) if (!properties.has(key)) properties.set(key, isObject(additional) ? additional : true);
  return { properties, required, additional: additional ?? !isNamed };
}

const namesProperties = (schema: SchemaObject): boolean => schema.has("properties");

/** The forms for a type. A number may happen to be whole. */
function formsOf({ values }: TaggedElement, type: JsonType): readonly ValueForm[] {
  const of = (one: JsonType): ValueForm =>
    values.find(({ types }) => types.includes(one)) ??
    values.find(
      ({ types }) => (one === "integer" || one === "number") && (types.includes("number") || types.includes("integer")),
    ) ??
    values[0];
  return type === "number" ? [...new Set([of("number"), of("integer")])] : [of(type)];
}

/** The parser knows by itself where such a value ends. */
function readsItself({ values }: TaggedElement, form: ValueForm): boolean {
  const hasRaw = values.some(({ between, writing }) => between === form.between && writing.kind === "raw");
  return !hasRaw && (form.types.includes("string") || form.suffix.trim() === "");
}

function compareKeys(a: string, b: string): number {
  const [lower, other] = [a.toLowerCase(), b.toLowerCase()];
  return lower < other ? -1 : lower > other ? 1 : 0;
}
