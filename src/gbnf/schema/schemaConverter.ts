import { type JsonInput, pythonJson } from "../../messages/index.ts";
import { alternatives, literal, sequence } from "../expressions.ts";
import type { GbnfExpression, GbnfReference } from "../types.ts";
import { arrayBody } from "./arrays.ts";
import { constant } from "./constants.ts";
import type { SchemaContext } from "./context.ts";
import { fieldsOf, isList, isObject, type SchemaObject, textsOf, under } from "./fields.ts";
import { limitedInteger, limitKeywords } from "./integerLimits.ts";
import { mergeSchemas } from "./mergeSchemas.ts";
import { mostInAnyOrder, type ObjectProperty, objectBody, otherKey } from "./objects.ts";
import { type Primitives, primitives, type SchemaGrammarOptions, type SchemaSettings } from "./options.ts";
import { Impossible, loosen, unenforced, unsupported } from "./problems.ts";
import { resolveReference } from "./references.ts";
import { narrowedText } from "./texts.ts";

/** How deep a schema may be nested, references and merged parts included. */
const maxDepth = 200;

/** One schema on its way to rules: what its parts share. */
export class SchemaConverter {
  readonly #root: JsonInput;
  readonly #options: SchemaGrammarOptions;
  readonly #settings: SchemaSettings;
  readonly #primitives: Primitives;
  readonly #context: SchemaContext;
  /** Rules by what they come from: a reference's target, or an object that may meet itself again. */
  readonly #rules = new Map<SchemaObject, GbnfReference>();
  readonly #merged = new Map<string, SchemaObject>();
  readonly #loosened = new Set<string>();
  readonly #numbers = new WeakMap<object, number>();
  /** References that were followed without anything being read in between. */
  #open = new Set<SchemaObject>();
  #count = 0;
  #depth = 0;

  constructor(root: JsonInput, settings: SchemaSettings, options: SchemaGrammarOptions) {
    this.#root = root;
    this.#options = options;
    this.#settings = settings;
    this.#primitives = primitives(settings);
    this.#context = {
      settings,
      primitives: this.#primitives,
      visit: (schema, pointer, hint) => this.#visit(schema, pointer, hint),
      loosen: (pointer, keyword, why) => this.#loosen(pointer, keyword, why),
    };
  }

  convert(hint: string): GbnfExpression {
    try {
      return this.#visit(this.#root, "", hint);
    } catch (error) {
      if (error instanceof Impossible) unsupported(error.pointer, error.what, error.remedy);
      throw error;
    }
  }

  #visit(schema: JsonInput, pointer: string, hint: string): GbnfExpression {
    if (schema === true) return this.#primitives.value();
    if (schema === false) throw new Impossible(pointer, "false allows no value", "Take it out");
    if (!isObject(schema)) unsupported(pointer, "a schema is an object, true or false", "Write {} for any value");
    if (++this.#depth > maxDepth) {
      unsupported(pointer, `it is nested deeper than ${maxDepth} levels`, 'Give inner parts names under "$defs"');
    }
    const expression = this.#any(fieldsOf(schema), pointer, hint);
    this.#depth--;
    return expression;
  }

  #any(schema: SchemaObject, pointer: string, hint: string): GbnfExpression {
    for (const keyword of unenforced) {
      if (schema.has(keyword)) this.#loosen(pointer, keyword, "no grammar here follows it");
    }
    const reference = schema.get("$ref");
    if (reference !== undefined) return this.#reference(reference, pointer);
    const union = schema.has("oneOf") ? "oneOf" : "anyOf";
    if (schema.has(union)) return this.#union(schema, union, pointer, hint);
    if (schema.has("const")) return constant(this.#settings, schema.get("const")!);
    if (schema.has("enum")) return this.#enum(schema.get("enum")!, pointer);
    const type = schema.get("type");
    if (isList(type)) return this.#types(schema, type, pointer, hint);
    if (schema.has("allOf")) return this.#all(schema, pointer, hint);
    return this.#typed(schema, type, pointer, hint);
  }

  #typed(schema: SchemaObject, type: JsonInput | undefined, pointer: string, hint: string): GbnfExpression {
    const has = (...keywords: readonly string[]) => keywords.some((keyword) => schema.has(keyword));
    const untyped = type === undefined;
    const additional = schema.get("additionalProperties");
    const shaped = has("properties", "required") || (additional !== undefined && additional !== true);
    if ((untyped || type === "object") && shaped) return this.#object(schema, pointer, hint);
    const listed = has("items", "prefixItems") || (type === "array" && has("minItems", "maxItems"));
    if ((untyped || type === "array") && listed)
      return this.#container(schema, hint, () => arrayBody(this.#context, schema, pointer, hint));
    if (untyped || type === "string") {
      const text = narrowedText(this.#context, schema, pointer, hint);
      if (text !== null) return text;
    }
    switch (type) {
      case undefined:
        return this.#primitives.value();
      case "object":
        return this.#primitives.object();
      case "array":
        return this.#primitives.array();
      case "string":
        return this.#primitives.string();
      case "boolean":
        return this.#primitives.boolean();
      case "null":
        return this.#primitives.null();
      case "integer":
        return limitedInteger(this.#context, schema, pointer);
      case "number":
        for (const keyword of limitKeywords) {
          if (schema.has(keyword)) this.#loosen(pointer, keyword, "numbers with a fraction have no limits here");
        }
        return this.#primitives.number();
      default: {
        const shown = typeof type === "string" ? `"${type}"` : pythonJson(type as JsonInput);
        return unsupported(
          under(pointer, "type"),
          `${shown} is no type`,
          "Types are object, array, string, number, integer, boolean and null, or a list of them",
        );
      }
    }
  }

  #reference(reference: JsonInput, pointer: string): GbnfExpression {
    const at = under(pointer, "$ref");
    if (typeof reference !== "string") unsupported(at, '"$ref" is no text', 'Write "#/$defs/name"');
    const named = resolveReference(this.#root, reference, at);
    if (!isObject(named)) return this.#visit(named, at, hintOf(reference));
    const target = fieldsOf(named);
    if (this.#open.has(target)) {
      unsupported(at, `${reference} leads back to itself before any value`, 'Let it lead to a schema without "$ref"');
    }
    const known = this.#rules.get(target);
    if (known !== undefined) return known;
    const hint = hintOf(reference);
    const rule = this.#settings.builder.declare(hint);
    this.#rules.set(target, rule);
    this.#open.add(target);
    try {
      this.#settings.builder.define(rule, this.#visit(target, reference.slice(1), hint));
    } catch (error) {
      this.#rules.delete(target);
      throw error;
    } finally {
      this.#open.delete(target);
    }
    return rule;
  }

  #union(schema: SchemaObject, keyword: string, pointer: string, hint: string): GbnfExpression {
    const options = schema.get(keyword);
    const at = under(pointer, keyword);
    if (!isList(options) || options.length === 0) unsupported(at, "it is no list of schemas", "List at least one");
    const base = this.#without(schema, keyword);
    const narrows = structural.some((name) => base.has(name));
    return this.#firstPossible(
      options.map((option, index) => () => {
        const place = under(at, index);
        const inner = `${hint}-${index}`;
        if (!narrows) return this.#visit(option, place, inner);
        return this.#visit(this.#merge(base, this.#target(option, place), place), place, inner);
      }),
      at,
    );
  }

  #types(schema: SchemaObject, types: readonly JsonInput[], pointer: string, hint: string): GbnfExpression {
    if (types.length === 0) throw new Impossible(under(pointer, "type"), "no type is allowed", "Name one");
    return alternatives(
      ...types.map((type, index) =>
        this.#visit(this.#variant(schema, `type ${index}`, [["type", type]]), pointer, `${hint}-${index}`),
      ),
    );
  }

  /** Options that nothing fits are left out, unless that leaves none. */
  #firstPossible(options: readonly (() => GbnfExpression)[], pointer: string): GbnfExpression {
    const found: GbnfExpression[] = [];
    let last = new Impossible(pointer, "no option allows a value", "Add one");
    for (const option of options) {
      const depth = this.#depth;
      try {
        found.push(option());
      } catch (error) {
        if (!(error instanceof Impossible)) throw error;
        this.#depth = depth;
        last = error;
      }
    }
    if (found.length === 0) throw last;
    return alternatives(...found);
  }

  #enum(options: JsonInput, pointer: string): GbnfExpression {
    const at = under(pointer, "enum");
    if (!isList(options)) unsupported(at, "it is no list", "List the values");
    if (options.length === 0) throw new Impossible(at, "it lists no value", "List at least one");
    return alternatives(...options.map((option) => constant(this.#settings, option)));
  }

  #all(schema: SchemaObject, pointer: string, hint: string): GbnfExpression {
    const list = schema.get("allOf");
    const at = under(pointer, "allOf");
    if (!isList(list)) unsupported(at, "it is no list of schemas", "List the schemas");
    const base = this.#without(schema, "allOf");
    const parts = list.map((part, index) => this.#target(part, under(at, index)));
    const own = base.has("properties") || base.has("required");
    const read = this.#settings.exact || own ? parts : (this.#llamaParts(parts, at) ?? parts);
    const merged = read.reduce<SchemaObject>((all, part, index) => this.#merge(all, part, under(at, index)), base);
    return this.#visit(merged, pointer, hint);
  }

  /** llama.cpp requires every property of each part, and takes those of an `anyOf` among the parts as optional. */
  #llamaParts(parts: readonly SchemaObject[], pointer: string): SchemaObject[] | null {
    const read: SchemaObject[] = [];
    for (const [index, part] of parts.entries()) {
      const options = part.get("anyOf");
      const at = under(pointer, index, "anyOf");
      const sources = isList(options) ? options.map((one, i) => this.#target(one, under(at, i))) : [part];
      const properties = sources.map((one) => one.get("properties"));
      if (!properties.every(isObject)) return null;
      const all = new Map<string, JsonInput>(properties.flatMap((one) => [...fieldsOf(one)]));
      const required = isList(options) ? [] : [...all.keys()];
      const rest = isList(options) ? [] : [...part];
      read.push(this.#variant(part, "allOf", [...rest, ["properties", all], ["required", required]], true));
    }
    return read;
  }

  /** The object that a schema or its `$ref` is. */
  #target(schema: JsonInput, pointer: string): SchemaObject {
    const passed = new Set<JsonInput>();
    let at = schema;
    for (;;) {
      if (at === true) return anything;
      if (at === false) throw new Impossible(pointer, "false allows no value", "Take it out");
      if (!isObject(at)) unsupported(pointer, "a schema is an object, true or false", "Write {} for any value");
      const fields = fieldsOf(at);
      const reference = fields.get("$ref");
      if (typeof reference !== "string") return fields;
      if (passed.has(at)) unsupported(pointer, `${reference} leads back to itself`, "Let it lead to a schema");
      passed.add(at);
      at = resolveReference(this.#root, reference, pointer);
    }
  }

  #merge(a: SchemaObject, b: SchemaObject, pointer: string): SchemaObject {
    const key = `${this.#number(a)}+${this.#number(b)}`;
    const known = this.#merged.get(key);
    if (known !== undefined) return known;
    const merged = mergeSchemas(a, b);
    if (!merged.ok) {
      const remedy = "Make the parts agree";
      throw new Impossible(under(pointer, merged.keyword), `nothing fits all parts of "${merged.keyword}"`, remedy);
    }
    for (const keyword of merged.dropped) this.#loosen(pointer, keyword, "another part of the schema has it, too");
    this.#merged.set(key, merged.schema);
    return merged.schema;
  }

  /** A changed copy, the same one each time, so that recursive schemas come back to it. */
  #variant(
    schema: SchemaObject,
    name: string,
    changes: readonly (readonly [string, JsonInput])[],
    alone = false,
  ): SchemaObject {
    const key = `${this.#number(schema)} ${name}`;
    const known = this.#merged.get(key) ?? new Map<string, JsonInput>([...(alone ? [] : schema), ...changes]);
    this.#merged.set(key, known);
    return known;
  }

  #without(schema: SchemaObject, keyword: string): SchemaObject {
    const rest = [...schema].filter(([name]) => name !== keyword);
    return this.#variant(schema, `without ${keyword}`, rest, true);
  }

  #number(schema: SchemaObject): number {
    const known = this.#numbers.get(schema);
    if (known !== undefined) return known;
    this.#numbers.set(schema, ++this.#count);
    return this.#count;
  }

  #object(schema: SchemaObject, pointer: string, hint: string): GbnfExpression {
    return this.#container(schema, hint, () => this.#objectBody(schema, pointer, hint));
  }

  /** A rule for what has brackets: inside of it, references may come back to where they were. */
  #container(schema: SchemaObject, hint: string, make: () => GbnfExpression): GbnfExpression {
    const known = this.#rules.get(schema);
    if (known !== undefined && !this.#open.has(schema)) return known;
    const { builder } = this.#settings;
    const rule = known ?? builder.declare(hint);
    const open = this.#open;
    this.#open = new Set();
    this.#rules.set(schema, rule);
    try {
      const body = make();
      if (known !== undefined) return body;
      builder.define(rule, body);
      return rule;
    } catch (error) {
      this.#rules.delete(schema);
      throw error;
    } finally {
      this.#open = open;
    }
  }

  #objectBody(schema: SchemaObject, pointer: string, hint: string): GbnfExpression {
    const fields = schema.get("properties") ?? new Map<string, JsonInput>();
    const at = under(pointer, "properties");
    if (!isObject(fields)) unsupported(at, "it is no object of schemas", "Name each property");
    const additional = schema.get("additionalProperties");
    const required = new Set(textsOf(schema.get("required")));
    const given = fieldsOf(fields);
    const missing = [...required].filter((name) => !given.has(name));
    const others: JsonInput = additional === undefined || additional === true ? true : additional;
    const all: [string, JsonInput][] = [...given, ...missing.map((name): [string, JsonInput] => [name, others])];
    const properties = all.flatMap(([name, property]): ObjectProperty[] => {
      const place = under(at, name);
      if (property !== false) return [this.#property(name, property, place, hint, required.has(name))];
      if (!required.has(name)) return [];
      throw new Impossible(place, `"${name}" is required and allows no value`, "Let it have a value");
    });
    if (this.#settings.propertyOrder === "any" && properties.length > mostInAnyOrder) {
      this.#loosen(pointer, "properties", `only ${mostInAnyOrder} may come in any order, so these keep theirs`);
    }
    return objectBody(
      this.#settings,
      hint,
      properties,
      this.#additional(schema, additional, properties, pointer, hint),
    );
  }

  #property(name: string, schema: JsonInput, pointer: string, hint: string, required: boolean): ObjectProperty {
    const value = this.#visit(schema, pointer, `${hint}-${name}`);
    const simple = value.kind === "reference" || value.kind === "literal";
    const rule = simple ? value : this.#settings.builder.rule(`${hint}-${name}`, value);
    return { name, value: rule, required };
  }

  #additional(
    schema: SchemaObject,
    additional: JsonInput | undefined,
    properties: readonly ObjectProperty[],
    pointer: string,
    hint: string,
  ): GbnfExpression | null {
    if (additional === undefined) {
      const free = !schema.has("properties");
      if (!free) return null;
    }
    if (additional === false) return null;
    const { builder, space } = this.#settings;
    const value = this.#visit(additional ?? true, under(pointer, "additionalProperties"), `${hint}-additional`);
    const names = properties.map(({ name }) => name);
    const key =
      names.length === 0 ? this.#primitives.key() : builder.rule(`${hint}-other-key`, otherKey(this.#settings, names));
    return builder.rule(`${hint}-additional-kv`, sequence(key, literal(":"), space, value));
  }

  #loosen(pointer: string, keyword: string, why: string): void {
    const place = under(pointer, keyword);
    if (this.#loosened.has(place)) return;
    this.#loosened.add(place);
    loosen(this.#options, pointer, keyword, why);
  }
}

/** Keywords beside an `anyOf` that its options need. */
const structural = [
  "properties",
  "required",
  "items",
  "prefixItems",
  "enum",
  "const",
  "pattern",
  "format",
  "allOf",
  "$ref",
];
const anything: SchemaObject = new Map();

const hintOf = (reference: string): string => `ref${reference.slice(1)}`;
