import { TitoError } from "../../errors.ts";
import { refuse, refuseUnknown } from "../refuse.ts";
import type { PayloadSyntax, TagValue } from "./types.ts";

const at = "segments.payload";

/** @throws TitoError `marker_empty`, `marker_missing_end`, `sampler_option` */
export function checkPayload(payload: PayloadSyntax): void {
  if (payload?.kind === "json") {
    refuseUnknown(payload, ["kind", "behind", "within", "asText", "quote"], `${at}.`);
    const { within = [], asText = false, behind = "", quote = "" } = payload;
    if (!Array.isArray(within) || !within.every((key) => key === null || typeof key === "string"))
      refuse(`${at}.within`, within, "a list of keys, null for any");
    if (typeof asText !== "boolean") refuse(`${at}.asText`, asText, "true or false");
    checkTexts(at, { behind, quote });
    return;
  }
  if (payload?.kind !== "tags") refuse(at, payload, 'an object of kind "json" or "tags"');
  refuseUnknown(payload, ["kind", "begin", "name", "values", "follow"], `${at}.`);
  const { begin = "", name = "", values, follow = [] } = payload;
  checkTexts(at, { begin, name });
  if (!Array.isArray(follow) || !follow.every((text) => typeof text === "string"))
    refuse(`${at}.follow`, follow, "a list of texts");
  if (!Array.isArray(values) || values.length === 0) refuse(`${at}.values`, values, "a list of { open, close }");
  values.forEach((value, index) => void checkValue(`${at}.values[${index}]`, value));
}

function checkValue(place: string, value: TagValue): void {
  if (typeof value !== "object" || value === null) refuse(place, value, "an object: { open, close }");
  refuseUnknown(value, ["open", "close", "writing", "fence", "nested"], `${place}.`);
  const { open, close, writing = "text", fence } = value;
  if (writing !== "text" && writing !== "literal") refuse(`${place}.writing`, writing, '"text" or "literal"');
  checkTexts(place, { open, close, ...(fence ? { "fence.open": fence.open, "fence.close": fence.close } : {}) });
  if (open === "")
    throw new TitoError(
      "marker_empty",
      `${place}.open is empty, and would be found everywhere. Give the text between a name and its value.`,
      { details: { marker: `${place}.open` } },
    );
  if (close.trim() === "" && writing === "text")
    throw new TitoError(
      "marker_missing_end",
      `${place} has no text that ends its value. Give it, or set writing: "literal" for values that end by themselves.`,
      { details: { value } },
    );
}

function checkTexts(place: string, texts: Readonly<Record<string, unknown>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== "string") refuse(`${place}.${name}`, text, "a text");
  }
}
