import type { ResponseLayout } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

export interface StopsRequest {
  /** As the analysis found them. */
  readonly found: readonly string[];
  /** Ids that the default renderer stops at. */
  readonly ids: readonly number[];
  readonly layout: ResponseLayout;
  readonly source: string;
  readonly specialTokens: ReadonlyMap<string, string>;
  readonly tokenizer: Tokenizer | undefined;
}

/** What ends this response, as texts and as ids: not what also stands between its parts, except for the end of all text. */
export function stopsOf({ found, ids, layout, source, specialTokens, tokenizer }: StopsRequest) {
  const eos = specialTokens.get("eos_token") ?? "";
  const known = new Set(specialTokens.values());
  // The analysis has stand-ins for special tokens that it does not know.
  const isReal = (stop: string) => !["<s>", "</s>"].includes(stop) || known.has(stop) || source.includes(stop);
  const inside = partsOf(layout);
  const isLast = (stop: string) => stop === eos || !inside.some((text) => text.includes(stop));
  const stops = found.filter((stop) => isReal(stop) && isLast(stop));
  const contents = new Map(tokenizer?.addedTokens.map(({ id, content }) => [id, content]));
  const own = ids.filter((id) => id === tokenizer?.eosTokenId || isLast(contents.get(id) ?? ""));
  const more = [...contents].flatMap(([id, content]) => (stops.includes(content) ? [id] : []));
  return { stops, stopTokenIds: [...new Set([...own, ...more])] };
}

/** Texts behind which a response goes on. */
function partsOf({ reasoning, content, calls, glue }: ResponseLayout): readonly string[] {
  return [
    reasoning?.open,
    reasoning?.close,
    reasoning?.empty,
    content.open,
    ...glue,
    calls?.leadAlone,
    calls?.section?.open,
    calls?.separator,
    ...(calls?.call.slice(0, -1) ?? []).map((element) => (element.kind === "text" ? element.text : "")),
  ].filter((text): text is string => text !== undefined && text !== "");
}
