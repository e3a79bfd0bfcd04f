/** A part of a tokenizer.json's pipeline, by the fields that are read. */
export interface Part {
  readonly type?: unknown;
  readonly normalizers?: readonly Part[];
  readonly pretokenizers?: readonly Part[];
  readonly decoders?: readonly Part[];
  readonly behavior?: unknown;
  readonly add_prefix_space?: unknown;
  readonly pattern?: { readonly String?: unknown };
  readonly content?: unknown;
  readonly prepend?: unknown;
  readonly replacement?: unknown;
  readonly prepend_scheme?: unknown;
  readonly split?: unknown;
}

/** A tokenizer.json, by the fields that the ways to run it are chosen by. */
export interface TokenizerFile {
  readonly model?: {
    readonly type?: unknown;
    readonly byte_fallback?: unknown;
    readonly dropout?: unknown;
    readonly continuing_subword_prefix?: unknown;
    readonly end_of_word_suffix?: unknown;
  };
  readonly normalizer?: Part | null;
  readonly pre_tokenizer?: Part | null;
  readonly decoder?: Part | null;
}

/** The parts of a pipeline, with sequences opened. */
export function flattenParts(
  part: Part | null | undefined,
  key: "normalizers" | "pretokenizers" | "decoders",
): readonly Part[] {
  if (part === null || part === undefined) return [];
  if (part.type !== "Sequence") return [part];
  return (part[key] ?? []).flatMap((each) => flattenParts(each, key));
}
