import { createRequire } from "node:module";
import type { Tokenizer as HubTokenizer } from "@huggingface/tokenizers";
import { TitoError } from "../../errors.ts";
import { AddedTokenSplitter, type PieceSink } from "../addedTokens/splitter.ts";
import { Decoder } from "../bpe/decoder.ts";
import { IdBuffer } from "../bpe/idBuffer.ts";
import { packTokens } from "../bpe/packTokens.ts";
import type { TokenizerMeta } from "../loaders/meta.ts";
import type { AddedToken, EncodeOptions, Ids, Tokenizer } from "../types.ts";
import { type TokenizerFile, type TokenSpelling, tokenSpelling } from "./tokenBytes.ts";

const require = createRequire(import.meta.url);

/**
 * A tokenizer that this package's engine does not know, run by `@huggingface/tokenizers`. Only text between added tokens
 * goes there: matching them, and decoding, is done here, so that both readings are exact and nothing is cleaned up.
 *
 * @throws TitoError `tokenizer_unsupported` where the bytes of an id cannot be known, or that package refuses.
 */
export function createFallbackTokenizer(
  file: TokenizerFile,
  addedTokens: readonly AddedToken[],
  meta: TokenizerMeta,
): Tokenizer {
  const spelling = tokenSpelling(file);
  if (typeof spelling === "string") throw unsupported(meta, `its ${spelling} is not one whose bytes are known by id`);
  return new FallbackTokenizer(openHubTokenizer(file, meta), spelling, addedTokens, meta);
}

function openHubTokenizer(file: TokenizerFile, meta: TokenizerMeta): HubTokenizer {
  const { Tokenizer } = require("@huggingface/tokenizers") as typeof import("@huggingface/tokenizers");
  const plain = {
    normalizer: null,
    pre_tokenizer: null,
    decoder: null,
    ...file,
    added_tokens: [],
    post_processor: null,
  };
  try {
    return new Tokenizer(plain, { clean_up_tokenization_spaces: false });
  } catch (cause) {
    throw unsupported(meta, "@huggingface/tokenizers does not read it either", cause);
  }
}

function unsupported({ nameOrPath }: TokenizerMeta, fact: string, cause?: unknown): TitoError {
  const name = nameOrPath === undefined ? "This tokenizer" : `The tokenizer of ${nameOrPath}`;
  return new TitoError("tokenizer_unsupported", `${name} cannot be used: ${fact}. Use a byte-level BPE model.`, {
    details: { nameOrPath },
    cause,
  });
}

class FallbackTokenizer implements Tokenizer {
  readonly nameOrPath: string | undefined;
  readonly vocabSize: number;
  readonly addedTokens: readonly AddedToken[];
  readonly eosTokenId: number | undefined;
  readonly bosTokenId: number | undefined;
  readonly chatTemplate: string | undefined;
  readonly #hub: HubTokenizer;
  readonly #spelling: TokenSpelling;
  readonly #decoder: Decoder;
  readonly #splitter: AddedTokenSplitter;
  readonly #idByContent: ReadonlyMap<string, number>;
  readonly #contentById: ReadonlyMap<number, string>;
  readonly #out = new IdBuffer();
  readonly #sink: PieceSink = {
    text: (piece) => this.#append(piece),
    token: (id) => this.#out.push(id),
  };

  constructor(
    hub: HubTokenizer,
    spelling: TokenSpelling,
    addedTokens: readonly AddedToken[],
    { nameOrPath, eosToken, bosToken, chatTemplate }: TokenizerMeta,
  ) {
    const missing = spelling.required.find((entry) => hub.token_to_id(entry) === undefined);
    if (missing !== undefined)
      throw unsupported({ nameOrPath }, `its vocabulary has no ${missing}, so text would be lost`);
    this.#hub = hub;
    this.#spelling = spelling;
    this.#idByContent = new Map(addedTokens.map(({ content, id }) => [content, id]));
    this.#contentById = new Map(addedTokens.map(({ content, id }) => [id, content]));
    this.#splitter = new AddedTokenSplitter(addedTokens, (text) => this.#normalized(text));
    const ids = [...hub.get_vocab(true).values(), ...this.#contentById.keys()];
    this.vocabSize = ids.reduce((size, id) => Math.max(size, id + 1), 0);
    this.#decoder = new Decoder(packTokens(this.vocabSize, (id) => this.#bytesOf(id)));
    this.nameOrPath = nameOrPath;
    this.addedTokens = addedTokens;
    this.eosTokenId = eosToken === undefined ? undefined : this.tokenToId(eosToken);
    this.bosTokenId = bosToken === undefined ? undefined : this.tokenToId(bosToken);
    this.chatTemplate = chatTemplate;
  }

  encode(text: string, options?: EncodeOptions): Int32Array {
    this.#out.length = 0;
    this.#splitter.split(text, options?.addedTokens ?? "match", this.#sink);
    return this.#out.take();
  }

  normalize(text: string): string {
    return this.#spelling.readable(this.#normalized(text.toWellFormed()));
  }

  decode(ids: Ids): string {
    return this.#decoder.decode(ids);
  }

  decodeBytes(ids: Ids): Uint8Array {
    return this.#decoder.decodeBytes(ids);
  }

  byteLength(id: number): number {
    return this.#decoder.byteLength(id);
  }

  tokenToId(token: string): number | undefined {
    return this.#idByContent.get(token) ?? this.#hub.token_to_id(token);
  }

  idToToken(id: number): string | undefined {
    return this.#contentById.get(id) ?? this.#hub.id_to_token(id);
  }

  #append(piece: string): void {
    for (const id of this.#hub.encode(piece.toWellFormed(), { add_special_tokens: false }).ids) this.#out.push(id);
  }

  #normalized(text: string): string {
    const normalizer = this.#hub.normalizer as unknown as ((text: string) => string) | null;
    return normalizer === null ? text : normalizer(text);
  }

  #bytesOf(id: number): Uint8Array | undefined {
    const content = this.#contentById.get(id);
    if (content !== undefined) return Buffer.from(content, "utf8");
    const entry = this.#hub.id_to_token(id);
    return entry === undefined ? undefined : this.#spelling.bytesOf(entry);
  }
}
