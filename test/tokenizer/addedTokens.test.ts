import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TitoError } from "../../src/errors.ts";
import { type EncodeOptions, type TextRange, tokenizerFromJson } from "../../src/tokenizer/index.ts";
import { toyJson } from "./toy.ts";

const NFC = { type: "NFC" };

function pieces(
  added: readonly (string | object)[],
  text: string,
  reading?: EncodeOptions["addedTokens"],
  normalizer?: object,
) {
  const tokenizer = tokenizerFromJson(toyJson({ added, normalizer: normalizer ?? null }));
  const contents = new Map(tokenizer.addedTokens.map(({ id, content }) => [id, content]));
  const result: string[] = [];
  let run: number[] = [];
  const endRun = () => {
    if (run.length > 0) result.push(tokenizer.decode(run));
    run = [];
  };
  for (const id of tokenizer.encode(text, reading === undefined ? {} : { addedTokens: reading })) {
    const content = contents.get(id);
    if (content === undefined) run.push(id);
    else {
      endRun();
      result.push(`[${content}]`);
    }
  }
  endRun();
  return result;
}

describe("matching", () => {
  test("takes the leftmost and, of those, the longest", () => {
    expect(pieces(["<a>", "<a>b", "b<c>"], "x<a>b<c>")).toEqual(["x", "[<a>b]", "<c>"]);
  });

  test("leaves text alone that only starts like a token", () => {
    expect(pieces(["<think>"], "<<thin<think><")).toEqual(["<<thin", "[<think>]", "<"]);
  });

  test("lstrip and rstrip take white space along", () => {
    expect(pieces([{ content: "<m>", lstrip: true }], "a \n<m> b")).toEqual(["a", "[<m>]", " b"]);
    expect(pieces([{ content: "<m>", rstrip: true }], "a <m>\u0085 b")).toEqual(["a ", "[<m>]", "b"]);
    expect(pieces([{ content: "<m>", rstrip: true, lstrip: true }], "<m> <m>")).toEqual(["[<m>]", "[<m>]"]);
  });

  test("a single word is not matched inside a word", () => {
    const token = { content: "tok", single_word: true };
    expect(pieces([token], "tok token -tok- étok tok_ 𝐚tok")).toEqual([
      "[tok]",
      " token -",
      "[tok]",
      "- étok tok_ 𝐚tok",
    ]);
  });

  test("tokens of the normalised text are matched after it, others before it", () => {
    const composed = "\u00e9";
    const decomposed = "e\u0301";
    expect(pieces([{ content: decomposed, normalized: true }], composed, "match", NFC)).toEqual([`[${decomposed}]`]);
    expect(pieces([{ content: decomposed, normalized: false }], composed, "match", NFC)).toEqual([composed]);
    expect(pieces(["<think>"], "<think>\u0338", "match", NFC)).toEqual(["[<think>]", "\u0338"]);
    expect(pieces([{ content: "<think>", normalized: true }], "<think>\u0338", "match", NFC)).toEqual(["<think\u226f"]);
  });
});

describe("plain reading", () => {
  test("matches nothing, whether special or not", () => {
    expect(pieces(["<s>", { content: "<t>", special: false }], "<s><t>", "plain")).toEqual(["<s><t>"]);
  });
});

describe("ranges", () => {
  const added = ["<a>", "<a>b"];

  test("match only inside one range; touching ranges are one", () => {
    expect(pieces(added, "<a><a>", [[0, 3]])).toEqual(["[<a>]", "<a>"]);
    expect(
      pieces(added, "<a><a>", [
        [0, 2],
        [3, 6],
      ]),
    ).toEqual(["<a>", "[<a>]"]);
    expect(
      pieces(added, "<a><a>", [
        [0, 2],
        [2, 6],
      ]),
    ).toEqual(["[<a>]", "[<a>]"]);
    expect(pieces(added, "<a>", [])).toEqual(["<a>"]);
  });

  test("a longer token that leaves the range gives way to a shorter one inside it", () => {
    expect(pieces(added, "<a>b", [[0, 3]])).toEqual(["[<a>]", "b"]);
  });

  test("white space is taken along only from inside the range", () => {
    expect(pieces([{ content: "<m>", lstrip: true, rstrip: true }], "  <m>  ", [[1, 6]])).toEqual([" ", "[<m>]", " "]);
  });

  test("hold for tokens of the normalised text too", () => {
    const token = { content: "<m>", normalized: true };
    expect(pieces([token], "e\u0301<m><m>", [[5, 8]], NFC)).toEqual(["é<m>", "[<m>]"]);
    // A composition across the edge: nothing says which side the character belongs to.
    expect(pieces([token], "<m>e\u0301<m>", [[0, 4]], NFC)).toEqual(["<m>é<m>"]);
  });

  test("text between markers is merged across their edges", () => {
    const tokenizer = tokenizerFromJson(toyJson({ merges: ["a b"], added: ["<m>"] }));
    expect([...tokenizer.encode("ab", { addedTokens: [[0, 1]] })]).toEqual([tokenizer.tokenToId("ab")]);
  });

  test.each<readonly TextRange[]>(
    [
      [[2, 1]],
      [
        [0, 2],
        [1, 3],
      ],
      [
        [2, 3],
        [0, 1],
      ],
      [[0, 9]],
      [[-1, 2]],
    ].map((each) => each as never),
  )("%j is refused", (...ranges) => {
    const tokenizer = tokenizerFromJson(toyJson({}));
    const wrong = ranges as unknown as readonly TextRange[];
    expect(() => tokenizer.encode("abcd", { addedTokens: wrong })).toThrow(TitoError);
  });

  const markers = [
    "<a>",
    "<a>b",
    "b<",
    { content: "<n>", normalized: true },
    { content: "<s>", lstrip: true, rstrip: true },
  ];
  const tokenizer = tokenizerFromJson(toyJson({ added: markers, normalizer: NFC }));
  const samples = fc
    .array(fc.constantFrom("<a>", "<n>", "<s>", "b", "<", " ", "e\u0301", "\u0323", "é", "a>"), { maxLength: 12 })
    .map((parts) => parts.join(""));

  test("the whole text as one range is the template's reading, no range is the plain one", () => {
    fc.assert(
      fc.property(samples, (text) => {
        expect(tokenizer.encode(text, { addedTokens: [[0, text.length]] })).toEqual(tokenizer.encode(text));
        expect(tokenizer.encode(text, { addedTokens: [] })).toEqual(tokenizer.encode(text, { addedTokens: "plain" }));
      }),
    );
  });
});
