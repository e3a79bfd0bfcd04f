import type { Random } from "./random.ts";

/** What a template is made of, roughly: words, texts, white space, and signs one by one. */
const TOKEN = /\{[%{#][-+]?|[-+]?[%}#]\}|\w+|'[^'\n]*'|"[^"\n]*"|\s+|[^\w\s]/g;

const STRAY = [
  " ",
  "\n",
  "-",
  "'",
  '"',
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "{{",
  "}}",
  "{%",
  "%}",
  "{#",
  "#}",
  ".",
  ",",
  "|",
  "~",
  ":",
  "=",
  "\\",
  "not ",
  "else",
  "is",
  "1",
  "x",
  "{% endif %}",
  "{% else %}",
  "{%- set x = 1 -%}",
  "{% raw %}",
  "é",
];

/** The template with one of its tokens, or a few, left out, said twice, changed for others or with something between them. */
export function damage(random: Random, template: string): string {
  const tokens: string[] = template.match(TOKEN) ?? [];
  for (let edits = random.oneIn(3) ? 1 + random.below(3) : 1; edits > 0; edits--) {
    const at = random.below(tokens.length);
    const change = random.pick<() => string[]>([
      () => [],
      () => [tokens[at], tokens[at]],
      () => [random.pick(STRAY)],
      () => [tokens[at], random.pick(STRAY)],
      () => [random.pick(tokens)],
      () => [tokens[at].slice(1)],
    ]);
    tokens.splice(at, 1, ...change());
  }
  return tokens.join("");
}

/** Templates that are like this one with a part left out, in halves, quarters and so on. */
export function* shorterTemplates(template: string): Iterable<string> {
  for (let size = template.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < template.length; at += size) yield template.slice(0, at) + template.slice(at + size);
  }
}
