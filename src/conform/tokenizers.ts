import { readFileSync } from "node:fs";
import { TitoError } from "../errors.ts";
import {
  loadTokenizer,
  readAddedTokens,
  type Tokenizer,
  type TokenizerOptions,
  tokenizerFromTiktoken,
} from "../tokenizer/index.ts";
import { baseTokenizerFile, fixtureFile, templateFile } from "./locate.ts";
import { overlayTemplates } from "./overlayTemplates.ts";

/** A family's special tokens over a public base vocabulary, as the fixtures have it. */
interface Overlay {
  readonly base: string;
  readonly added_tokens: unknown;
  readonly eos_token?: string;
  readonly bos_token?: string;
  readonly name_or_path: string;
}

/** Where base tokenizers are: a folder, or a file for each name. */
export type TokenizerSource = string | Readonly<Record<string, string>>;

/** Tokenizers of recorded cases, built once each: bases by name, overlays by name. */
export class TokenizerShelf {
  readonly #fixtures: string;
  readonly #source: TokenizerSource | undefined;
  readonly #built = new Map<string, Promise<Tokenizer>>();

  constructor(fixtures: string, source?: TokenizerSource) {
    this.#fixtures = fixtures;
    this.#source = source;
  }

  base(name: string): Promise<Tokenizer> {
    return this.#once(`base ${name}`, () => this.#load(name, {}));
  }

  overlay(name: string): Promise<Tokenizer> {
    return this.#once(`overlay ${name}`, async () => {
      const overlay = this.#readOverlay(name);
      const options = {
        nameOrPath: overlay.name_or_path,
        addedTokens: readAddedTokens(overlay.added_tokens),
        eosToken: overlay.eos_token,
        bosToken: overlay.bos_token,
        chatTemplate: this.#readTemplate(name),
      };
      if (overlay.base !== "o200k") return this.#load(overlay.base, options);
      const ranks = fixtureFile(this.#fixtures, "o200k_base.tiktoken");
      if (!ranks) throw new TitoError("fixtures_missing", "no o200k_base.tiktoken");
      return tokenizerFromTiktoken(readFileSync(ranks), { pattern: "o200k", ...options });
    });
  }

  #readOverlay(name: string): Overlay {
    const file = fixtureFile(this.#fixtures, "overlays", `${name}.json`);
    if (!file) throw new TitoError("fixtures_missing", `no overlay "${name}"`);
    return JSON.parse(readFileSync(file, "utf8")) as Overlay;
  }

  #readTemplate(overlay: string): string | undefined {
    const template = overlayTemplates[overlay];
    const file = template && templateFile(this.#fixtures, template);
    return file ? readFileSync(file, "utf8") : undefined;
  }

  async #load(name: string, options: TokenizerOptions): Promise<Tokenizer> {
    const file = typeof this.#source === "object" ? this.#source[name] : baseTokenizerFile(name, this.#source);
    if (!file) throw new TitoError("fixtures_missing", `no base tokenizer "${name}"`);
    return loadTokenizer(file, options);
  }

  #once(key: string, build: () => Promise<Tokenizer>): Promise<Tokenizer> {
    const known = this.#built.get(key) ?? build();
    this.#built.set(key, known);
    return known;
  }
}
