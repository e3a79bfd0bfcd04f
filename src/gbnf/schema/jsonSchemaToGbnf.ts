import type { JsonInput } from "../../messages/index.ts";
import { GbnfBuilder } from "../gbnfBuilder.ts";
import type { Gbnf } from "../types.ts";
import { type SchemaRulesOptions, schemaRules } from "./schemaRules.ts";

/**
 * The grammar of the JSON texts that fit a schema: objects with their properties in order and no others (unless
 * `additionalProperties` says so), as llama.cpp's own converter has it. Keywords that a grammar cannot enforce are left out
 * (`onLoosened` hears of them, `strict` refuses them). A schema parsed by `parseJson` keeps the order of integer-like keys.
 *
 * @throws TitoError `schema_unsupported` for what is no schema or allows no value, with the JSON `pointer` of the place.
 * @example
 * const gbnf = jsonSchemaToGbnf({ type: "integer", minimum: 0, maximum: 99 });
 * matches(gbnf, "42"); // true
 */
export function jsonSchemaToGbnf(schema: JsonInput, options: SchemaRulesOptions = {}): Gbnf {
  const builder = new GbnfBuilder();
  return builder.build(schemaRules(builder, schema, options));
}
