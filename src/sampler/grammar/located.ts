import { type Configuration, type Configurations, configurationsOf } from "../../gbnf/configurations.ts";
import { type Places, placesOf } from "../../gbnf/gbnfMatcher.ts";
import type { Gbnf, GbnfMatcher, TokenLookup } from "../../gbnf/index.ts";
import type { PartialCharacter } from "../../gbnf/utf8Decoder.ts";

/** A matcher's state among the configurations of its grammar. */
export interface Located {
  readonly places: Places;
  readonly branches: readonly LocatedBranch[];
  readonly configurations: Configurations;
  /** Matchers in the same state have the same, and no others. */
  readonly key: string;
}

export interface LocatedBranch {
  readonly configuration: Configuration;
  readonly partial: PartialCharacter | null;
}

/** Configurations refer to all texts that led to them, so that those of long texts are let go of all together. */
const mostKept = 100_000;
const withoutLookup: TokenLookup = () => undefined;
const stores = new WeakMap<Gbnf, WeakMap<TokenLookup, Configurations>>();

export function locate(matcher: GbnfMatcher): Located {
  const places = placesOf(matcher);
  const configurations = storeOf(places);
  const branches = places.branches.map(({ threads, complete, partial = null }) => ({
    configuration: configurations.of(threads, complete, places.root),
    partial,
  }));
  const key = branches
    .map(({ configuration: { id }, partial }) =>
      partial === null ? `${id}` : `${id} ${partial.value} ${partial.missing} ${partial.length}`,
    )
    .sort()
    .join();
  return { places, branches, configurations, key };
}

function storeOf({ gbnf, tokens = withoutLookup }: Places): Configurations {
  const byLookup = stores.get(gbnf) ?? new WeakMap<TokenLookup, Configurations>();
  stores.set(gbnf, byLookup);
  const known = byLookup.get(tokens);
  if (known !== undefined && known.size() < mostKept) return known;
  const made = configurationsOf();
  byLookup.set(tokens, made);
  return made;
}
