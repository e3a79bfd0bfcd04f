import { codePointLength, unitIndex } from "../values/codePoints.ts";
import { Dict, Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { str, typeName } from "../values/print.ts";
import { concatTexts, firstSource, isText, mapText, type PlainText, plain, textOf, traced } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { escaped } from "./html.ts";
import { bare, each, integerArgument, isIterable, noAttribute, softText, whiteSpace } from "./support.ts";

/** A text quoted for a path; a dict, or pairs, as a query. */
export const urlencode = native("urlencode", ["value"], (runtime, value) => {
  if (isText(value!) || !isIterable(value!)) return quoted(bare(softText(runtime, value!)), false);
  const pairs = value instanceof Dict ? Array.from(value.entries(), (pair) => new Tuple(pair)) : each(runtime, value!);
  const parts: PlainText[] = [];
  for (const pair of pairs) {
    const fields = toArray(runtime, pair);
    if (fields.length !== 2)
      throw new PythonError("ValueError", `a query is made of pairs, not of ${fields.length} items`);
    if (parts.length > 0) parts.push("&");
    parts.push(quoted(str(runtime, fields[0]!), true), "=", quoted(str(runtime, fields[1]!), true));
  }
  return concatTexts(parts);
});

function quoted(text: PlainText, forQuery: boolean): PlainText {
  if (!textOf(text).isWellFormed())
    throw new PythonError("UnicodeEncodeError", "a lone surrogate cannot be put into a URL");
  return mapText(text, (characters) => {
    const escapes = encodeURIComponent(characters).replace(/[!'()*]/g, percent);
    return forQuery ? escapes.replaceAll("%20", "+") : escapes.replaceAll("%2F", "/");
  });
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Links for the addresses in a text. */
export const urlize = native(
  "urlize",
  ["value", ["trim_url_limit", null], ["nofollow", false], ["target", null], ["rel", null], ["extra_schemes", null]],
  (runtime, value, limit, nofollow, target, rel, extraSchemes) => {
    const relations = new Set(words(runtime, rel!));
    if (isTrue(nofollow!)) relations.add("nofollow");
    relations.add("noopener");
    const schemes = schemesOf(runtime, extraSchemes!);
    const attributes =
      ` rel="${textOf(escaped(runtime, [...relations].sort().join(" ")))}"` +
      (isTrue(target!) ? ` target="${textOf(escaped(runtime, target!))}"` : "");
    const text = textOf(escaped(runtime, value!));
    const shorten = shortener(limit!);
    const linked = text
      .split(gaps)
      .map((part) => link(part, attributes, shorten, schemes))
      .join("");
    runtime.allow(linked.length);
    return traced(linked, firstSource(value!));
  },
);

function words(runtime: Runtime, value: Value): readonly string[] {
  if (!isTrue(value)) return [];
  if (!isText(value)) return noAttribute(value, "split");
  runtime.charge(1);
  return textOf(value)
    .split(new RegExp(`[${whiteSpace}]+`))
    .filter((part) => part !== "");
}

function schemesOf(runtime: Runtime, value: Value): readonly string[] {
  if (plain(value) === null) return [];
  return toArray(runtime, value).map((scheme) => {
    if (!isText(scheme)) throw new PythonError("TypeError", `a scheme of addresses is a text, not ${typeName(scheme)}`);
    const text = textOf(scheme);
    if (/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(text)) return text;
    throw new PythonError("FilterArgumentError", `"${text}" is no scheme of addresses: write it as "tel:" or "git://"`);
  });
}

function shortener(limit: Value): (address: string) => string {
  if (plain(limit) === null) return (address) => address;
  return (address) => {
    const most = integerArgument(limit, "the limit of an address");
    const length = codePointLength(address);
    if (length <= most) return address;
    return `${address.slice(0, unitIndex(address, most < 0 ? Math.max(0, length + most) : most))}...`;
  };
}

const word = "[\\p{L}\\p{N}_]";
const domain = "[\\p{L}\\p{N}_%-]";
const address = new RegExp(
  `^(?:(?:https?://|www\\.)(?:(?:${domain}+\\.)+)?(?:[a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})` +
    `|(?:${domain}{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
    "|https?://(?:\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3}){3}|\\[(?:[\\p{Nd}a-f]{0,4}:){2}(?:[\\p{Nd}a-f]{0,4}:?){1,6}\\]))" +
    `(?::\\p{Nd}{1,5})?(?:[/?#][^${whiteSpace}]*)?$`,
  "iu",
);
const mail = new RegExp(`^[^${whiteSpace}]+@${word}[\\p{L}\\p{N}_.-]*\\.${word}+$`, "u");
const gaps = new RegExp(`([${whiteSpace}]+)`);

/** One word, with a link for what is an address in it, without the brackets and stops around. */
function link(
  part: string,
  attributes: string,
  shorten: (address: string) => string,
  schemes: readonly string[],
): string {
  const head = /^(?:[(<]|&lt;)+/.exec(part)?.[0] ?? "";
  let middle = part.slice(head.length);
  let tail = /(?:[)>.,\n]|&gt;)+$/.exec(middle)?.[0] ?? "";
  middle = middle.slice(0, middle.length - tail.length);
  for (const [opening, closing] of brackets) {
    // An address keeps the brackets that it opens.
    const opened = count(middle, opening);
    if (opened <= count(middle, closing)) continue;
    for (let left = Math.min(opened, count(tail, closing)); left > 0; left--) {
      const end = tail.indexOf(closing) + closing.length;
      middle += tail.slice(0, end);
      tail = tail.slice(end);
    }
  }
  if (address.test(middle)) {
    const scheme = middle.startsWith("https://") || middle.startsWith("http://") ? "" : "https://";
    middle = `<a href="${scheme}${middle}"${attributes}>${shorten(middle)}</a>`;
  } else if (middle.startsWith("mailto:") && mail.test(middle.slice(7))) {
    middle = `<a href="${middle}">${middle.slice(7)}</a>`;
  } else if (/^(?!www\.|@)[^:]*@[^:]*$/.test(middle) && mail.test(middle)) {
    middle = `<a href="mailto:${middle}">${middle}</a>`;
  } else {
    for (const scheme of schemes) {
      if (middle !== scheme && middle.startsWith(scheme)) middle = `<a href="${middle}"${attributes}>${middle}</a>`;
    }
  }
  return head + middle + tail;
}

const brackets = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
