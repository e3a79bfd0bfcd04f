import type { Tokenizer } from "../tokenizer/types.ts";
import type { Utf8Stream } from "../tokens/utf8.ts";

/**
 * Text of the next ids of a stream. A character that is cut at their end waits in `utf8` for its other bytes, unless they are
 * `whole`: then a marker follows, and what is cut stays cut.
 */
export function textOfIds(ids: Int32Array, whole: boolean, tokenizer: Tokenizer, utf8: Utf8Stream): string {
  if (whole && utf8.pending.length === 0) return ids.length > 0 ? tokenizer.decode(ids) : "";
  const text = utf8.push(tokenizer.decodeBytes(ids));
  return whole ? text + utf8.end() : text;
}
