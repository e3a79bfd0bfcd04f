import type { JsonInput } from "../../messages/index.ts";
import type { GbnfExpression } from "../types.ts";
import type { Primitives, SchemaSettings } from "./options.ts";

/** What a part of a schema needs to become an expression. */
export interface SchemaContext {
  readonly settings: SchemaSettings;
  readonly primitives: Primitives;
  /** The expression of an inner schema; `hint` begins the names of its rules. */
  readonly visit: (schema: JsonInput, pointer: string, hint: string) => GbnfExpression;
  /** Tells of a keyword that the grammar does not enforce. */
  readonly loosen: (pointer: string, keyword: string, why: string) => void;
}
