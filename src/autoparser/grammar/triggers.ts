import type { LayoutBeginning, ResponseLayout } from "../../parse/layout/layout.ts";
import { leadingMarker } from "./leadingMarker.ts";
import { objectBeginnings } from "./objectCall.ts";
import type { GrammarTrigger, LayoutGrammarOptions } from "./types.ts";

/** What surely begins a call, at its shortest. Each begins a text of the lazy grammar. */
export function callTriggers(
  layout: ResponseLayout,
  names: readonly string[],
  beginning: LayoutBeginning,
  { stops = [], specialTokens = [] }: Pick<LayoutGrammarOptions, "stops" | "specialTokens">,
): readonly GrammarTrigger[] {
  const { call, section, lead } = layout.calls!;
  const [first] = call;
  const others = otherTexts(layout, stops);
  const isSure = (text: string) => text !== "" && !others.some((other) => other.includes(text));
  const word = (text: string): GrammarTrigger => {
    const token = specialTokens.find(({ content }) => content === text);
    return token ? { kind: "token", id: token.id, text } : { kind: "word", text };
  };
  const opening = (section?.open ?? (first?.kind === "text" ? first.text : "")).trim();
  if (opening !== "") {
    const marker = leadingMarker(
      opening,
      specialTokens.map(({ content }) => content),
    );
    const rest = opening.slice(marker.length);
    if (isSure(marker) && !isPhrase(rest)) return [word(marker)];
    if (section !== null || call[1]?.kind !== "name" || isSure(opening)) return [word(opening.replace(/\s+[[{]$/, ""))];
    return names.map((name) => word(opening + name + textBehind(call[2])));
  }
  if (first?.kind === "object") {
    const texts = names.flatMap((name) => objectBeginnings(first, name));
    return texts.map((text) => ({ kind: "word", text, atStart: true }));
  }
  const start = lead.trim();
  return names.flatMap((name): GrammarTrigger[] => {
    const text = name + textBehind(call[1]);
    const atStart: GrammarTrigger = { kind: "word", text, atStart: true };
    return start === "" ? [atStart] : [word(start + text), ...(beginning.in === "glue" ? [atStart] : [])];
  });
}

/** Words that go on behind a marker: the marker alone begins something else, too. */
export const isPhrase = (rest: string): boolean => /^\s+\w/.test(rest) || /^\w[^<]*<[|｜]/.test(rest);

function textBehind(element: NonNullable<ResponseLayout["calls"]>["call"][number] | undefined): string {
  const text = element?.kind === "text" ? element.text : element?.kind === "tagged" ? element.open : "";
  return leadingMarker(text) || (text.trim() === "" ? text : text.trimEnd());
}

/** All that a response may hold beside calls. */
export function otherTexts(
  { reasoning, content, end, glue }: ResponseLayout,
  stops: readonly string[],
): readonly string[] {
  return [
    reasoning?.open ?? "",
    reasoning?.close ?? "",
    reasoning?.empty ?? "",
    ...(reasoning?.alsoOpens ?? []),
    content.open,
    content.close,
    ...(content.alsoOpens ?? []),
    end,
    ...glue,
    ...stops,
  ];
}

/** Tokens in the layout's texts; without a tokenizer, what looks like one. */
export function preservedTokens(
  layout: ResponseLayout,
  stops: readonly string[],
  specialTokens: LayoutGrammarOptions["specialTokens"],
): readonly string[] {
  const texts = [...otherTexts(layout, stops), ...callTexts(layout)];
  const tokens =
    specialTokens?.map(({ content }) => content) ??
    texts.flatMap((text) => text.match(/<\/?[^<>\s"'={}]+>|\[\/?[A-Z_]{2,}\]/g) ?? []);
  return [...new Set(tokens)].filter((token) => token !== "" && texts.some((text) => text.includes(token)));
}

function callTexts({ calls }: ResponseLayout): readonly string[] {
  if (calls === null) return [];
  const { lead, leadAlone = "", section, separator, call } = calls;
  const inside = call.flatMap((element) => {
    if (element.kind === "text") return [element.text];
    if (element.kind !== "tagged") return [];
    const values = element.values.flatMap(({ between, suffix, writing }) => [
      between,
      suffix,
      writing.kind === "literal" ? (writing.quote ?? "") : "",
    ]);
    return [element.open, element.close, element.namePrefix, element.separator, ...values];
  });
  return [lead, leadAlone, section?.open ?? "", section?.close ?? "", separator, ...inside];
}
