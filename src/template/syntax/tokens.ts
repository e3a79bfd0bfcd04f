import type { ConstantValue } from "./ast.ts";

export type Operator =
  | "+"
  | "-"
  | "*"
  | "**"
  | "/"
  | "//"
  | "%"
  | "~"
  | "["
  | "]"
  | "("
  | ")"
  | "{"
  | "}"
  | "=="
  | "!="
  | ">"
  | ">="
  | "<"
  | "<="
  | "="
  | "."
  | ":"
  | "|"
  | ","
  | ";";

/** An operator's type is its own text. */
export type TokenType =
  | "text"
  | "printBegin"
  | "printEnd"
  | "tagBegin"
  | "tagEnd"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "eof"
  | Operator;

/** A token and its range in the normalised text; white space that a delimiter takes away is in no token. */
export interface Token {
  readonly type: TokenType;
  /** A name, the text, or a literal's value; the type itself for all others. */
  readonly value: ConstantValue;
  readonly at: number;
  readonly end: number;
}

/** A token as an error message calls it. */
export function describeToken(token: Token): string {
  switch (token.type) {
    case "name":
      return `"${String(token.value)}"`;
    case "printEnd":
      return `the end of the expression, "}}"`;
    case "tagEnd":
      return `the end of the tag, "%}"`;
    case "eof":
      return "the end of the template";
    case "string":
    case "integer":
    case "float":
      return `${token.type === "integer" ? "an" : "a"} ${token.type}`;
    case "text":
    case "printBegin":
    case "tagBegin":
      return "text";
    default:
      return `"${token.type}"`;
  }
}
