import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { baseTokenizerFile, packageRoot } from "../src/conform/locate.ts";
import { loadTokenizer, readAddedTokens, type Tokenizer, tokenizerFromTiktoken } from "../src/tokenizer/index.ts";

/** A vocabulary that this package and the peers load from the same data. */
export interface Vocabulary {
  readonly name: string;
  readonly nameOrPath: string;
  readonly eosToken: string;
  readonly chatTemplate: string | undefined;
  /** The family that the peer renders it as; default `qwen3`. */
  readonly family?: string | undefined;
  /** What this package loads. */
  readonly path: string;
  /** A `tokenizer.json`, which is what the peers load; made on the first call. */
  file(): Promise<string>;
  load(): Promise<Tokenizer>;
}

const MODEL = join(packageRoot(), "embedded-model", "tito-calculator-qwen3.gguf");
const TEMPLATE = join(packageRoot(), "embedded-model", "chat_template.jinja");
const CONTROL = 3;
const USER_DEFINED = 4;

/** Qwen3's vocabulary as the package's own model has it: enough for every generated shape. */
export function embeddedVocabulary(scratch: string): Vocabulary {
  const meta = { nameOrPath: "Qwen/Qwen3-8B", eosToken: "<|im_end|>" };
  const path = join(scratch, "embedded.json");
  return {
    ...meta,
    name: "embedded",
    chatTemplate: readFileSync(TEMPLATE, "utf8"),
    path: MODEL,
    file: async () => {
      if (!existsSync(path)) await writeFile(path, JSON.stringify(await tokenizerJsonOfGguf(MODEL)));
      return path;
    },
    load: () => loadTokenizer(MODEL, meta),
  };
}

/**
 * The vocabulary of the recorded workloads: a public base with the added tokens that the fixtures name. Undefined where
 * the base is not installed.
 */
export function recordedVocabulary(fixtures: string, scratch: string): Vocabulary | undefined {
  const overlay = JSON.parse(readFileSync(join(fixtures, "golden", "overlays", "qwen3.json"), "utf8"));
  const base = baseTokenizerFile(overlay.base);
  if (!base) return undefined;
  const path = join(scratch, "recorded.json");
  const template = join(fixtures, "templates", "Qwen-Qwen3-0.6B.jinja");
  const meta = { nameOrPath: overlay.name_or_path as string, eosToken: overlay.eos_token as string };
  const file = async () => {
    if (!existsSync(path)) {
      const tokenizer = JSON.parse(readFileSync(base, "utf8"));
      await writeFile(path, JSON.stringify({ ...tokenizer, added_tokens: overlay.added_tokens, post_processor: null }));
    }
    return path;
  };
  return {
    ...meta,
    name: "recorded",
    chatTemplate: existsSync(template) ? readFileSync(template, "utf8") : undefined,
    path,
    file,
    load: async () => loadTokenizer(await file(), meta),
  };
}

/** The vocabulary of a family's recorded cases; undefined where its base is not installed. */
export function overlayVocabulary(family: string, fixtures: string, scratch: string): Vocabulary | undefined {
  const overlayFile = join(fixtures, "golden", "overlays", `${family}.json`);
  if (!existsSync(overlayFile)) return undefined;
  const overlay = JSON.parse(readFileSync(overlayFile, "utf8"));
  const meta = { nameOrPath: overlay.name_or_path as string, eosToken: overlay.eos_token as string };
  const common = { ...meta, name: `family ${family}`, family, chatTemplate: undefined };
  const addedTokens = readAddedTokens(overlay.added_tokens);
  if (overlay.base === "o200k") {
    const path = join(fixtures, "golden", "o200k_base.tiktoken");
    const load = async () => tokenizerFromTiktoken(readFileSync(path), { pattern: "o200k", ...meta, addedTokens });
    return { ...common, path, file: async () => path, load };
  }
  const base = baseTokenizerFile(overlay.base);
  if (!base) return undefined;
  const path = join(scratch, `family-${family}.json`);
  const file = async () => {
    if (!existsSync(path)) {
      const tokenizer = JSON.parse(readFileSync(base, "utf8"));
      await writeFile(path, JSON.stringify({ ...tokenizer, added_tokens: overlay.added_tokens, post_processor: null }));
    }
    return path;
  };
  return { ...common, path, file, load: async () => loadTokenizer(await file(), meta) };
}

/** A GGUF's byte-level vocabulary in the form that Hugging Face `tokenizers` reads, with Qwen's pre-tokenizer. */
async function tokenizerJsonOfGguf(path: string): Promise<object> {
  // Only a run with peers needs it, and it takes a second to load.
  const { readGgufFileInfo } = await import("node-llama-cpp");
  const { metadata } = await readGgufFileInfo(path, { readTensorInfo: false, logWarnings: false });
  const { tokens, token_type: types, merges } = metadata.tokenizer.ggml;
  const spellings = tokens as readonly string[];
  const isAdded = (id: number) => types?.[id] === CONTROL || types?.[id] === USER_DEFINED;
  const isWord = (id: number) => types?.[id] === 1;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  const pattern =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  return {
    version: "1.0",
    added_tokens: spellings.flatMap((content, id) =>
      isAdded(id) ? [{ id, content, special: types?.[id] === CONTROL, ...flags }] : [],
    ),
    normalizer: { type: "NFC" },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      vocab: Object.fromEntries(spellings.flatMap((spelling, id) => (isWord(id) ? [[spelling, id]] : []))),
      merges: (merges as readonly string[]).map((merge) => merge.split(" ")),
    },
  };
}
