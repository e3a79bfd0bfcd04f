import { TitoError } from "../errors.ts";
import type { Marker, TokenMarker } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";

/** Ids of a family's markers, all looked up at construction: a vocabulary that lacks one is the wrong tokenizer. */
export function markers<const Names extends Record<string, string>>(
  tokenizer: Tokenizer,
  family: string,
  names: Names,
): { readonly [Name in keyof Names]: TokenMarker } {
  const missing: string[] = [];
  const found = Object.entries(names).map(([name, text]) => {
    const id = tokenizer.tokenToId(text);
    if (id === undefined) missing.push(text);
    return [name, { text, id: id ?? -1 }] as const;
  });
  if (missing.length > 0) {
    throw new TitoError(
      "token_missing",
      `The tokenizer ${tokenizer.nameOrPath ? `of "${tokenizer.nameOrPath}" ` : ""}has no token for ${missing.join(", ")}, ` +
        `which the "${family}" format needs. Use the tokenizer of a ${family} model, or the config of the model's own family.`,
      { details: { family, missing } },
    );
  }
  return Object.fromEntries(found) as { readonly [Name in keyof Names]: TokenMarker };
}

/** A marker that some vocabularies of the family have as one token and others spell with several. */
export function textMarker(tokenizer: Tokenizer, text: string): Marker {
  return { text, id: tokenizer.tokenToId(text) };
}
