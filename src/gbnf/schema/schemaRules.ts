import type { JsonInput } from "../../messages/index.ts";
import type { GbnfBuilder } from "../gbnfBuilder.ts";
import type { GbnfExpression } from "../types.ts";
import { type SchemaGrammarOptions, schemaSettings } from "./options.ts";
import { SchemaConverter } from "./schemaConverter.ts";

export interface SchemaRulesOptions extends SchemaGrammarOptions {
  /** What the rules' names begin with. Default `"schema"`. */
  readonly name?: string | undefined;
}

/**
 * Adds the rules for the values of a JSON schema to a builder and gives the expression that matches such a value, white space
 * around it not included. Several schemas in one builder share the rules that are alike.
 *
 * @throws TitoError `schema_unsupported` for what is no schema or allows no value, with the JSON `pointer` of the place.
 */
export function schemaRules(builder: GbnfBuilder, schema: JsonInput, options: SchemaRulesOptions = {}): GbnfExpression {
  return new SchemaConverter(schema, schemaSettings(builder, options), options).convert(options.name ?? "schema");
}
