import { createRequire } from "node:module";
import type { Tokenizer as HubTokenizer } from "@huggingface/tokenizers";
import { TitoError } from "../../errors.ts";
import { bytesOfSpelling, CHAR_OF_BYTE } from "../bpe/byteAlphabet.ts";
import { IdBuffer } from "../bpe/idBuffer.ts";
import { packTokens, type TokenTables } from "../bpe/packTokens.ts";
import type { Engine } from "../engine.ts";
import { EngineTokenizer } from "../engineTokenizer.ts";
import type { TokenizerMeta } from "../loaders/meta.ts";
import type { TokenizerFile } from "../loaders/parts.ts";
import type { AddedToken, Tokenizer } from "../types.ts";
import { whyNotByteLevel } from "./byteLevel.ts";

const require = createRequire(import.meta.url);

/**
 * A byte-level tokenizer that this package's engine does not know, run by `@huggingface/tokenizers`. Only text between
 * added tokens goes there: matching them, and decoding, is done here, so that both readings are exact and nothing is
 * cleaned up.
 *
 * @throws TitoError `tokenizer_unsupported` where the bytes of an id cannot be known, or that package refuses.
 */
export function createFallbackTokenizer(
  file: TokenizerFile,
  addedTokens: readonly AddedToken[],
  meta: TokenizerMeta,
): Tokenizer {
  const why = whyNotByteLevel(file);
  if (why !== undefined) throw unsupported(meta, `its ${why} is not one whose bytes are known by id`);
  const hub = openHubTokenizer(file, meta);
  const missing = CHAR_OF_BYTE.find((entry) => hub.token_to_id(entry) === undefined);
  if (missing !== undefined) throw unsupported(meta, `its vocabulary has no ${missing}, so text would be lost`);
  return new EngineTokenizer(new HubEngine(hub, addedTokens), addedTokens, meta);
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
  return new TitoError(
    "tokenizer_unsupported",
    `${name} cannot be used: ${fact}. Use a byte-level BPE model, or one with byte fallback.`,
    { details: { nameOrPath }, cause },
  );
}

class HubEngine implements Engine {
  readonly out = new IdBuffer();
  readonly tokens: TokenTables;
  readonly #hub: HubTokenizer;

  constructor(hub: HubTokenizer, addedTokens: readonly AddedToken[]) {
    this.#hub = hub;
    const contents = new Map(addedTokens.map(({ id, content }) => [id, content]));
    const vocabSize = [...hub.get_vocab(true).values(), ...contents.keys()].reduce((n, id) => Math.max(n, id + 1), 0);
    this.tokens = packTokens(vocabSize, (id) => {
      const content = contents.get(id);
      return content === undefined ? bytesOfEntry(hub.id_to_token(id)) : Buffer.from(content, "utf8");
    });
  }

  append(text: string): void {
    for (const id of this.#hub.encode(text.toWellFormed(), { add_special_tokens: false }).ids) this.out.push(id);
  }

  appendNormalized(text: string): void {
    this.append(text);
  }

  normalize(text: string): string {
    const normalizer = this.#hub.normalizer as unknown as ((text: string) => string) | null;
    const wellFormed = text.toWellFormed();
    return normalizer === null ? wellFormed : normalizer(wellFormed);
  }

  idOf(entry: string): number | undefined {
    return this.#hub.token_to_id(entry);
  }

  entryOf(id: number): string | undefined {
    return this.#hub.id_to_token(id);
  }
}

function bytesOfEntry(entry: string | undefined): Uint8Array | undefined {
  return entry === undefined ? undefined : (bytesOfSpelling(entry) ?? Buffer.from(entry, "utf8"));
}
