import { TitoError } from "../../errors.ts";
import { type GgufStrings, type GgufValue, ggufString } from "../../models/gguf/types.ts";
import { templatesFrom } from "./layers.ts";
import type { ChatTemplates } from "./types.ts";

type Metadata = ReadonlyMap<string, GgufValue>;

const DEFAULT = "tokenizer.chat_template";
const NAMES = "tokenizer.chat_templates";

/**
 * The chat templates in a GGUF: `tokenizer.chat_template`, and `tokenizer.chat_template.NAME` for others. An empty one is
 * none, as in llama.cpp.
 *
 * @throws TitoError `tokenizer_invalid` for one that is no text and for a listed name without its template.
 */
export function ggufTemplates(metadata: Metadata): ChatTemplates {
  const templates = new Map<string, string>();
  const add = (name: string, key: string): void => {
    const value = metadata.get(key);
    if (typeof value !== "string") throw invalid(key, value === undefined ? "is missing" : "is no text");
    if (value !== "" && !templates.has(name)) templates.set(name, value);
  };
  if (metadata.has(DEFAULT)) add("default", DEFAULT);
  for (const name of listedNames(metadata)) add(name, `${DEFAULT}.${name}`);
  for (const key of metadata.keys()) if (key.startsWith(`${DEFAULT}.`)) add(key.slice(DEFAULT.length + 1), key);
  return templatesFrom("gguf", templates);
}

function listedNames(metadata: Metadata): string[] {
  const list = metadata.get(NAMES);
  if (list === undefined) return [];
  if (!isStrings(list)) throw invalid(NAMES, "is no list of names");
  return Array.from({ length: list.length }, (_, index) => ggufString(list, index));
}

const TOKEN_KEYS = [
  ["bos_token", "bos"],
  ["eos_token", "eos"],
  ["unk_token", "unknown"],
  // The format spells it so.
  ["sep_token", "seperator"],
  ["pad_token", "padding"],
  ["cls_token", "cls"],
  ["mask_token", "mask"],
] as const;

/** The special tokens in a GGUF by the names of the variables that templates see. An id without a token names none. */
export function ggufSpecialTokens(metadata: Metadata): Map<string, string> {
  const tokens = metadata.get("tokenizer.ggml.tokens");
  const found = new Map<string, string>();
  if (!isStrings(tokens)) return found;
  for (const [name, role] of TOKEN_KEYS) {
    const id = metadata.get(`tokenizer.ggml.${role}_token_id`);
    if (typeof id === "number" && id >= 0 && id < tokens.length) found.set(name, ggufString(tokens, id));
  }
  return found;
}

const isStrings = (value: GgufValue | undefined): value is GgufStrings =>
  typeof value === "object" && "kind" in value && value.kind === "strings";

function invalid(field: string, fact: string): TitoError {
  return new TitoError("tokenizer_invalid", `This GGUF's ${field} ${fact}. Convert the model again.`, {
    details: { field },
  });
}
