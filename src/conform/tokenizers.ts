import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TitoError } from "../errors.ts";
import { type AddedToken, type Tokenizer, tokenizerFromJson, tokenizerFromTiktoken } from "../tokenizer/index.ts";
import { baseTokenizerFile } from "./locate.ts";

/** A family's special tokens over a public base vocabulary, as the fixtures have it. */
interface Overlay {
  readonly base: string;
  readonly added_tokens: readonly (Omit<AddedToken, "singleWord"> & { readonly single_word: boolean })[];
  readonly eos_token?: string;
  readonly bos_token?: string;
  readonly name_or_path: string;
}

/** Tokenizers of recorded cases, built once each: bases by name, overlays by name. */
export class TokenizerShelf {
  readonly #fixtures: string;
  readonly #folder: string | undefined;
  readonly #built = new Map<string, Promise<Tokenizer>>();

  constructor(fixtures: string, folder?: string) {
    this.#fixtures = fixtures;
    this.#folder = folder;
  }

  base(name: string): Promise<Tokenizer> {
    return this.#once(`base ${name}`, async () => tokenizerFromJson(this.#baseText(name)));
  }

  overlay(name: string): Promise<Tokenizer> {
    return this.#once(`overlay ${name}`, async () => {
      const file = join(this.#fixtures, "golden", "overlays", `${name}.json`);
      if (!existsSync(file)) throw new TitoError("fixtures_missing", `no overlay "${name}"`);
      const overlay = JSON.parse(readFileSync(file, "utf8")) as Overlay;
      return overlay.base === "o200k"
        ? this.#o200k(overlay)
        : tokenizerFromJson(this.#baseText(overlay.base), settings(overlay));
    });
  }

  #o200k(overlay: Overlay): Tokenizer {
    const ranks = readFileSync(join(this.#fixtures, "golden", "o200k_base.tiktoken"), "utf8");
    return tokenizerFromTiktoken(ranks, { pattern: "o200k", ...settings(overlay) });
  }

  #baseText(name: string): string {
    const file = baseTokenizerFile(name, this.#folder);
    if (!file) throw new TitoError("fixtures_missing", `no base tokenizer "${name}"`);
    return readFileSync(file, "utf8");
  }

  #once(key: string, build: () => Promise<Tokenizer>): Promise<Tokenizer> {
    const known = this.#built.get(key) ?? build();
    this.#built.set(key, known);
    return known;
  }
}

function settings(overlay: Overlay) {
  return {
    nameOrPath: overlay.name_or_path,
    addedTokens: overlay.added_tokens.map(({ single_word, ...token }) => ({ ...token, singleWord: single_word })),
    eosToken: overlay.eos_token,
    bosToken: overlay.bos_token,
  };
}
