import { TitoError } from "../errors.ts";
import { checkGbnf } from "./checkGbnf.ts";
import type { Gbnf, GbnfExpression, GbnfToken } from "./types.ts";
import { readMaximum } from "./types.ts";

/** llama.cpp's element types (`llama_gretype`). */
export const elementTypes = {
  end: 0,
  alternative: 1,
  reference: 2,
  character: 3,
  notCharacter: 4,
  rangeEnd: 5,
  orCharacter: 6,
  any: 7,
  token: 8,
  notToken: 9,
} as const;

export type LoweredElement = readonly [type: number, value: number];

/** A grammar as llama.cpp holds it in memory. */
export interface LoweredGbnf {
  /** Rules' numbers by name; groups and repetitions have become rules of their own (`root_1`). */
  readonly symbols: ReadonlyMap<string, number>;
  /** By number. */
  readonly rules: readonly (readonly LoweredElement[])[];
}

/** A token's id by its text, for references `<name>`. */
export type TokenLookup = (text: string) => number | undefined;

/**
 * A grammar in llama.cpp's flat form.
 *
 * @throws TitoError `token_missing` for a token reference by text that `tokens` does not know; and as `parseGbnf`.
 */
export function lowerGbnf(
  gbnf: Gbnf,
  options: { readonly root?: string; readonly tokens?: TokenLookup } = {},
): LoweredGbnf {
  checkGbnf(gbnf, { root: options.root ?? "root" });
  const lowering = new Lowering(options.tokens);
  for (const { name, body } of gbnf.rules) lowering.rule(name, body);
  return lowering;
}

/** @throws TitoError `token_missing` */
export function tokenId({ token }: GbnfToken, tokens: TokenLookup | undefined): number {
  if (typeof token === "number") return token;
  const id = tokens?.(token);
  if (id !== undefined) return id;
  throw new TitoError(
    "token_missing",
    `The grammar names the token ${token}, which the vocabulary at hand does not have. Pass \`tokens\`, or write its id: <[123]>.`,
    { details: { token } },
  );
}

class Lowering implements LoweredGbnf {
  readonly symbols = new Map<string, number>();
  readonly rules: LoweredElement[][] = [];
  readonly #tokens: TokenLookup | undefined;

  constructor(tokens: TokenLookup | undefined) {
    this.#tokens = tokens;
  }

  rule(name: string, body: GbnfExpression): void {
    this.#define(this.#symbol(name), body, name);
  }

  #symbol(name: string): number {
    const known = this.symbols.get(name);
    if (known !== undefined) return known;
    this.symbols.set(name, this.symbols.size);
    return this.symbols.size - 1;
  }

  #newSymbol(base: string): number {
    const id = this.symbols.size;
    this.symbols.set(`${base}_${id}`, id);
    return id;
  }

  #define(id: number, body: GbnfExpression, name: string): void {
    const options = body.kind === "alternatives" ? body.options : [body];
    const elements = options.flatMap((option, index) => {
      const lowered = this.#elements(option, name);
      return index === 0 ? lowered : [[elementTypes.alternative, 0] as LoweredElement, ...lowered];
    });
    this.rules[id] = [...elements, [elementTypes.end, 0]];
  }

  #elements(one: GbnfExpression, name: string): LoweredElement[] {
    switch (one.kind) {
      case "literal":
        return Array.from(one.text, (character) => [elementTypes.character, character.codePointAt(0)!]);
      case "class":
        return one.ranges.flatMap(([from, to], index) => {
          const first = one.negated ? elementTypes.notCharacter : elementTypes.character;
          const start: LoweredElement = [index === 0 ? first : elementTypes.orCharacter, from];
          return from === to ? [start] : [start, [elementTypes.rangeEnd, to]];
        });
      case "any":
        return [[elementTypes.any, 0]];
      case "token":
        return [[one.negated ? elementTypes.notToken : elementTypes.token, tokenId(one, this.#tokens)]];
      case "reference":
        return [[elementTypes.reference, this.#symbol(one.name)]];
      case "sequence":
        return one.items.flatMap((item) => this.#elements(item, name));
      case "alternatives":
      case "group": {
        const id = this.#newSymbol(name);
        this.#define(id, one.kind === "group" ? one.body : one, name);
        return [[elementTypes.reference, id]];
      }
      case "repeat":
        return this.#repeated(one.item, one.min, readMaximum(one.max), name);
    }
  }

  /** `s{m,n}` is m times s and a chain of n-m optional ones; without n, a rule that names itself at its end. */
  #repeated(item: GbnfExpression, min: number, max: number | null, name: string): LoweredElement[] {
    const once = this.#elements(item, name);
    const elements: LoweredElement[] = [];
    for (let i = 0; i < min; i++) elements.push(...once);
    const chain = max === null ? 1 : max - min;
    let last = -1;
    for (let i = 0; i < chain; i++) {
      const id = this.#newSymbol(name);
      const more: LoweredElement[] = max === null ? [[elementTypes.reference, id]] : [[elementTypes.reference, last]];
      this.rules[id] = [
        ...once,
        ...(i === 0 && max !== null ? [] : more),
        [elementTypes.alternative, 0],
        [elementTypes.end, 0],
      ];
      last = id;
    }
    if (chain > 0) elements.push([elementTypes.reference, last]);
    return elements;
  }
}
