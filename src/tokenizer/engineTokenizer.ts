import { TitoError } from "../errors.ts";
import type { TemplateSource } from "../template/sources/types.ts";
import { AddedTokenSplitter, type PieceSink } from "./addedTokens/splitter.ts";
import { Decoder } from "./bpe/decoder.ts";
import type { Engine } from "./engine.ts";
import { readMeta, type TokenizerMeta } from "./loaders/meta.ts";
import type { AddedToken, EncodeOptions, Ids, Tokenizer } from "./types.ts";

/** A tokenizer over an engine: added tokens, decoding and what is known beside the vocabulary are the same for all. */
export class EngineTokenizer<Kind extends Engine = Engine> implements Tokenizer {
  readonly nameOrPath: string | undefined;
  readonly vocabSize: number;
  readonly addedTokens: readonly AddedToken[];
  readonly eosTokenId: number | undefined;
  readonly bosTokenId: number | undefined;
  readonly specialTokens: ReadonlyMap<string, string>;
  readonly chatTemplate: string | undefined;
  readonly chatTemplates: ReadonlyMap<string, string>;
  readonly templateSources: ReadonlyMap<string, TemplateSource>;
  protected readonly engine: Kind;
  readonly #decoder: Decoder;
  readonly #splitter: AddedTokenSplitter;
  readonly #idByContent: ReadonlyMap<string, number>;
  readonly #contentById: ReadonlyMap<number, string>;
  readonly #sink: PieceSink;

  /** Throws `token_missing` if `meta` names an end or beginning of sequence that is not there; `tokenizer_invalid`. */
  constructor(engine: Kind, addedTokens: readonly AddedToken[], meta: TokenizerMeta) {
    const { eosToken, bosToken, ...known } = readMeta(meta);
    this.engine = engine;
    this.nameOrPath = known.nameOrPath;
    this.vocabSize = engine.tokens.vocabSize;
    this.addedTokens = addedTokens;
    this.specialTokens = known.specialTokens;
    this.chatTemplate = known.chatTemplates.get("default");
    this.chatTemplates = known.chatTemplates;
    this.templateSources = known.templateSources;
    this.#decoder = new Decoder(engine.tokens);
    this.#splitter = new AddedTokenSplitter(addedTokens, (text) => engine.normalize(text));
    this.#idByContent = new Map(addedTokens.map(({ content, id }) => [content, id]));
    this.#contentById = new Map(addedTokens.map(({ content, id }) => [id, content]));
    this.#sink = {
      text: (piece) => engine.append(piece),
      normalizedText: (piece) => engine.appendNormalized(piece),
      token: (id) => engine.out.push(id),
    };
    this.eosTokenId = this.#named("end", eosToken);
    this.bosTokenId = this.#named("beginning", bosToken);
  }

  encode(text: string, options?: EncodeOptions): Int32Array {
    const { out } = this.engine;
    out.length = 0;
    const sink = options?.prefixSpace === true ? startSink(this.engine) : this.#sink;
    this.#splitter.split(text, options?.addedTokens ?? "match", sink);
    return out.take();
  }

  normalize(text: string): string {
    return this.engine.normalize(text);
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
    return this.#idByContent.get(token) ?? this.engine.idOf(token);
  }

  idToToken(id: number): string | undefined {
    return this.#contentById.get(id) ?? this.engine.entryOf(id);
  }

  #named(role: "end" | "beginning", token: string | undefined): number | undefined {
    if (token === undefined) return undefined;
    const id = this.tokenToId(token);
    if (id !== undefined) return id;
    const name = this.nameOrPath === undefined ? "The tokenizer" : `The tokenizer of ${this.nameOrPath}`;
    throw new TitoError(
      "token_missing",
      `${name} has no token ${token}, which is said to be its ${role} of sequence. Pass the files of one model, or name another token.`,
      { details: { missing: [token], nameOrPath: this.nameOrPath } },
    );
  }
}

/** A sink that puts the blank before the first piece if it is text. */
function startSink(engine: Engine): PieceSink {
  let isStart = true;
  const append = (normalized: string): void => {
    engine.appendNormalized(isStart ? (engine.prefixed?.(normalized) ?? normalized) : normalized);
    isStart = false;
  };
  return {
    text: (piece) => append(engine.normalize(piece)),
    normalizedText: append,
    token: (id) => {
      engine.out.push(id);
      isStart = false;
    },
  };
}
