import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Tokenizer, tokenizerFromJson, tokenizerFromSentencePiece } from "../../src/tokenizer/index.ts";
import { encodeSpans } from "../../src/tokens/encode.ts";
import { basePieces, type ModelSpec, sentencePieceFile } from "./sentencePieceFile.ts";

const pieces: ModelSpec["pieces"] = [
  ["▁"],
  ["h"],
  ["e"],
  ["l"],
  ["o"],
  ["w"],
  ["he", -1],
  ["ll", -2],
  ["▁he", -3],
  ["llo", -4],
  ["hello", -5],
  ["▁hello", -6],
  ["▁▁", -7],
  ["▁w", -8],
];
const vocab = Object.fromEntries([...basePieces, ...pieces].map(([text], id) => [text, id]));
const load = (spec: ModelSpec = {}): Tokenizer => tokenizerFromSentencePiece(sentencePieceFile({ pieces, ...spec }));
const spellings = (tokenizer: Tokenizer, text: string, options = {}) =>
  Array.from(tokenizer.encode(text, options), (id) => tokenizer.idToToken(id));

const models: [name: string, tokenizer: Tokenizer][] = [
  ["as Llama's", load()],
  [
    "with user-defined pieces",
    load({ pieces: [...pieces, ["\n\n", 0, 4], ["▁▁▁", 0, 4], ["<turn>", 0, 4], ["7", 0, 4]] }),
  ],
  ["across blanks", load({ pieces: [...pieces, ["o▁w", -9]] })],
  ["without extra blanks", load({ removeExtraWhitespaces: true })],
  [
    "from a tokenizer.json",
    metaspaceJson({ type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: true }),
  ],
];

/** The same vocabulary as a tokenizer.json. */
function metaspaceJson(pre_tokenizer: object, model: object = {}): Tokenizer {
  return tokenizerFromJson({
    added_tokens: ["<unk>", "<s>", "</s>"].map((content, id) => ({ id, content, special: true })),
    normalizer: null,
    pre_tokenizer,
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        { type: "Strip", content: " ", start: 1, stop: 0 },
      ],
    },
    model: {
      type: "BPE",
      byte_fallback: true,
      vocab,
      merges: ["h e", "l l", "▁ he", "ll o", "he llo", "▁he llo", "▁ ▁", "▁ w"],
      ...model,
    },
  });
}

const part = fc.constantFrom(
  "hello",
  " ",
  "  ",
  "\n\n",
  "   ",
  "w",
  "é",
  "中",
  "😀",
  "\ud83d",
  "▁",
  "<turn>",
  "</s>",
  "7",
  "o w",
);
const texts = fc.oneof(
  fc.array(part, { maxLength: 12 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 20 }),
);

describe.each(models)("%s", (_, tokenizer) => {
  test("the bytes of the ids are those of the normalised text, in both readings", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom("match", "plain"), (text, addedTokens) => {
        const ids = tokenizer.encode(text, { addedTokens });
        const normalized = tokenizer.normalize(text);
        if (addedTokens === "plain") expect(tokenizer.decode(ids)).toBe(normalized);
        const each = Array.from(ids, (id) => tokenizer.decodeBytes([id]));
        expect(Buffer.concat(each)).toEqual(Buffer.from(tokenizer.decodeBytes(ids)));
        expect(Array.from(ids, (id) => tokenizer.byteLength(id))).toEqual(each.map(({ length }) => length));
      }),
    );
  });

  test("a blank at the start is one byte more, and never comes after an added token", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bare = tokenizer.encode(text);
        const started = tokenizer.encode(text, { prefixSpace: true });
        const more = tokenizer.decode(started).length - tokenizer.decode(bare).length;
        expect([0, 1]).toContain(more);
        expect(tokenizer.encode(`</s>${text}`, { prefixSpace: true })).toEqual(tokenizer.encode(`</s>${text}`));
      }),
    );
  });

  test("a text that was seen before has the same ids", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (one, times) => {
        const text = one.repeat(times);
        const ids = tokenizer.encode(text);
        expect(tokenizer.encode(text)).toEqual(ids);
        expect(tokenizer.encode(text.toWellFormed())).toEqual(ids);
      }),
    );
  });

  test("ids and entries name each other", () => {
    for (let id = 0; id < tokenizer.vocabSize; id++)
      expect(tokenizer.tokenToId(tokenizer.idToToken(id) ?? "")).toBe(id);
    expect(tokenizer.idToToken(tokenizer.vocabSize)).toBeUndefined();
    expect(tokenizer.byteLength(tokenizer.tokenToId("<0xC3>") as number)).toBe(1);
    expect(tokenizer.tokenToId("no such piece")).toBeUndefined();
  });

  test.each(["a", "中", " ", "l", "hello", "hello ", "\n"])("100,000 × %j keeps its text", (unit) => {
    const text = unit.repeat(100_000);
    expect(tokenizer.decode(tokenizer.encode(text)) === tokenizer.normalize(text)).toBe(true);
  });
});

describe("a SentencePiece model", () => {
  test("merges what scores highest, and spells the rest in bytes", () => {
    const tokenizer = load();
    expect(spellings(tokenizer, "hello hello  wé")).toEqual(["hello", "▁hello", "▁▁", "w", "<0xC3>", "<0xA9>"]);
    expect(spellings(tokenizer, "hello", { prefixSpace: true })).toEqual(["▁hello"]);
    expect(spellings(load({ addDummyPrefix: false }), "hello", { prefixSpace: true })).toEqual(["hello"]);
  });

  test("joins a character that is no piece where a piece holds it", () => {
    const tokenizer = load({ pieces: [...pieces, ["hé", -9], ["éé", -10]] });
    expect(spellings(tokenizer, "héé")).toEqual(["hé", "<0xC3>", "<0xA9>"]);
    expect(spellings(tokenizer, "éé")).toEqual(["éé"]);
    expect(tokenizer.vocabSize).toBe(basePieces.length + pieces.length + 2);
  });

  test("merges across blanks only if a piece does", () => {
    expect(spellings(load({ pieces: [...pieces, ["o▁", -0.5]] }), "o w")).toEqual(["o▁", "w"]);
    expect(spellings(load(), "o w")).toEqual(["o", "▁w"]);
  });

  test("finds control pieces where they are trusted, and user-defined ones of white space or one character always", () => {
    const tokenizer = load({ pieces: [...pieces, ["\n\n", 0, 4], ["<turn>", 0, 4], ["é", 0, 4]] });
    expect(spellings(tokenizer, "é\n\n<turn></s>")).toEqual(["é", "\n\n", "<turn>", "</s>"]);
    const plain = spellings(tokenizer, "é\n\n<turn></s>", { addedTokens: "plain" });
    expect(plain.slice(0, 2)).toEqual(["é", "\n\n"]);
    expect(plain).not.toContain("<turn>");
    expect(plain).not.toContain("</s>");
    expect(tokenizer.addedTokens.filter(({ special }) => special).map(({ content }) => content)).toEqual([
      "<unk>",
      "<s>",
      "</s>",
    ]);
  });

  test("has its own ends, unless others are named", () => {
    expect([load().bosTokenId, load().eosTokenId]).toEqual([1, 2]);
    const file = sentencePieceFile({ pieces });
    expect(tokenizerFromSentencePiece(file, { eosToken: "hello" }).eosTokenId).toBe(basePieces.length + 10);
    expect(() => tokenizerFromSentencePiece(file, { eosToken: "<|eot|>", nameOrPath: "acme/toy" })).toThrow(
      expect.objectContaining({
        code: "token_missing",
        message: expect.stringMatching(/acme\/toy has no token <\|eot\|>/),
      }),
    );
  });

  test("takes added tokens from tokenizer_config.json", () => {
    const config = { added_tokens_decoder: { "2": { content: "<end>", special: true }, "900": { content: "<call>" } } };
    const tokenizer = tokenizerFromSentencePiece(sentencePieceFile({ pieces }), { config, eosToken: "<end>" });
    expect(spellings(tokenizer, "hello<call><end>")).toEqual(["hello", "<call>", "<end>"]);
    expect(tokenizer.eosTokenId).toBe(2);
    expect(tokenizer.vocabSize).toBe(901);
    expect(tokenizer.decode([900])).toBe("<call>");
  });

  test.each<[string, ModelSpec, string]>([
    ["unigram", { modelType: 1 }, "tokenizer_unsupported"],
    ["blanks as suffixes", { suffixes: true }, "tokenizer_unsupported"],
    ["blanks as they are", { escapeWhitespaces: false }, "tokenizer_unsupported"],
    ["an unused piece", { pieces: [["x", 0, 5]] }, "tokenizer_unsupported"],
    [
      "equal scores",
      {
        pieces: [
          ["aa", -1],
          ["bb", -1],
        ],
      },
      "tokenizer_unsupported",
    ],
    ["damaged rules", { charsMap: Uint8Array.of(9, 0, 0, 0, 1) }, "tokenizer_invalid"],
  ])("is refused with %s", (_, spec, code) => {
    expect(() => load(spec)).toThrow(expect.objectContaining({ name: "TitoError", code }));
  });

  test("is refused without a token for every byte, and so is what is no model", () => {
    const file = sentencePieceFile({ pieces });
    const without = Buffer.from(file.toString("latin1").replace("<0x41>", "<0x4g>"), "latin1");
    expect(() => tokenizerFromSentencePiece(without)).toThrow(
      expect.objectContaining({ code: "tokenizer_unsupported", message: expect.stringContaining("<0x41>") }),
    );
    for (const bytes of [Buffer.from("aGk= 0\n"), file.subarray(0, 1000), Buffer.alloc(0), Buffer.of(0x0b, 0xff)]) {
      expect(() => tokenizerFromSentencePiece(bytes)).toThrow(expect.objectContaining({ name: "TitoError" }));
    }
  });

  test("any bytes load or are refused with a code", () => {
    const file = sentencePieceFile({ pieces });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const damaged = Buffer.from(file);
          for (const [at, byte] of changes) damaged[at] = byte;
          try {
            const tokenizer = tokenizerFromSentencePiece(damaged);
            expect(tokenizer.decode(tokenizer.encode("x", { addedTokens: "plain" }))).toBe(tokenizer.normalize("x"));
          } catch (error) {
            expect(error).toMatchObject({ name: "TitoError" });
          }
        },
      ),
    );
  });
});

describe("a conversation", () => {
  test("gets no blank at the start of its texts, and each token belongs to the span of its first byte", () => {
    const tokenizer = load();
    const origin = (message: number) => ({ message, sampled: false, content: true });
    const { tokenIds, messageIndices } = encodeSpans(
      [
        { kind: "token", id: 1, ...origin(-1) },
        { kind: "text", text: "hello", trusted: true, ...origin(0) },
        { kind: "text", text: " hello", trusted: false, ...origin(1) },
        { kind: "token", id: 2, ...origin(-1) },
        { kind: "text", text: "hello▁w", trusted: true, ...origin(2) },
      ],
      tokenizer,
    );
    expect(Array.from(tokenIds, (id) => tokenizer.idToToken(id))).toEqual([
      "<s>",
      "hello",
      "▁hello",
      "</s>",
      "hello",
      "▁w",
    ]);
    expect([...messageIndices]).toEqual([-1, 0, 1, -1, 2, 2]);
  });
});

describe("a tokenizer.json with Metaspace", () => {
  const blanks = (split: boolean) => ({ type: "Metaspace", replacement: "▁", prepend_scheme: "always", split });

  test("splits before every blank, or nowhere", () => {
    expect(spellings(metaspaceJson(blanks(true)), "hello  w")).toEqual(["hello", "▁", "▁w"]);
    expect(spellings(metaspaceJson(blanks(false)), "hello  w")).toEqual(["hello", "▁▁", "w"]);
  });

  test("puts its blank before a text that has none", () => {
    const tokenizer = metaspaceJson(blanks(false));
    expect(spellings(tokenizer, "hello", { prefixSpace: true })).toEqual(["▁hello"]);
    expect(spellings(tokenizer, " hello", { prefixSpace: true })).toEqual(["▁hello"]);
    expect(spellings(tokenizer, "hello")).toEqual(["hello"]);
  });

  test("takes whole entries where it ignores merges", () => {
    const model = { ignore_merges: true, merges: ["h e"] };
    expect(spellings(metaspaceJson(blanks(true), model), "hello")).toEqual(["hello"]);
    expect(spellings(metaspaceJson(blanks(true), { merges: ["h e"] }), "hello")).toEqual(["he", "l", "l", "o"]);
  });

  test.each([
    ["no byte fallback", {}, { byte_fallback: false }],
    ["dropout", {}, { dropout: 0.1 }],
    ["another sign for blanks", { ...blanks(true), replacement: "_" }, {}],
  ])("is refused with %s", (_, pre, model) => {
    expect(() => metaspaceJson({ ...blanks(true), ...pre }, model)).toThrow(
      expect.objectContaining({ code: "tokenizer_unsupported" }),
    );
  });

  test("is refused with ids that are none", () => {
    for (const id of [1e9, -1, 0.5]) {
      expect(() => metaspaceJson(blanks(true), { vocab: { ...vocab, x: id } })).toThrow(
        expect.objectContaining({ code: "tokenizer_invalid" }),
      );
    }
  });

  test("is refused with a merge of what is not in the vocabulary", () => {
    expect(() => metaspaceJson(blanks(true), { merges: ["h zz"] })).toThrow(
      expect.objectContaining({ code: "tokenizer_invalid" }),
    );
  });
});
