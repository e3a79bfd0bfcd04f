import type { Ids } from "../tokenizer/types.ts";
import { type ParserOptions, TokenParser } from "./parser.ts";
import type { ParsedResponse } from "./types.ts";

/** Reads a whole completion at once. */
export function parseIds(ids: Ids, options: Omit<ParserOptions, "state">): ParsedResponse {
  const parser = new TokenParser(options);
  parser.push(ids);
  return parser.end().response;
}
