import { TitoError } from "../../errors.ts";
import { under } from "./fields.ts";
import type { SchemaGrammarOptions } from "./options.ts";

/** A schema, or a part of it, that matches nothing: an option that may be dropped where there are others. */
export class Impossible {
  readonly pointer: string;
  readonly what: string;
  readonly remedy: string;

  constructor(pointer: string, what: string, remedy: string) {
    this.pointer = pointer;
    this.what = what;
    this.remedy = remedy;
  }
}

/** @throws TitoError `schema_unsupported` */
export function unsupported(pointer: string, what: string, remedy: string): never {
  const place = pointer === "" ? "The schema" : `The schema at ${pointer}`;
  throw new TitoError("schema_unsupported", `${place}: ${what}. ${remedy}.`, { details: { pointer } });
}

/** @throws TitoError `schema_unsupported` if options ask for strictness. */
export function loosen(options: SchemaGrammarOptions, pointer: string, keyword: string, why: string): void {
  const at = under(pointer, keyword);
  const message = `the grammar does not enforce "${keyword}": ${why}`;
  if (options.strict) unsupported(at, message, "Take it out, or leave `strict` out to accept a wider grammar");
  options.onLoosened?.({ pointer: at, keyword, message });
}

/** Keywords that no grammar here follows. */
export const unenforced: readonly string[] = [
  "not",
  "if",
  "dependentSchemas",
  "dependentRequired",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "uniqueItems",
  "contains",
  "minContains",
  "maxContains",
  "multipleOf",
  "unevaluatedItems",
  "unevaluatedProperties",
];
