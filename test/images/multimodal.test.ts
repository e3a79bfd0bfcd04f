import fc from "fast-check";
import { expect, test } from "vitest";
import { joinMultimodal, type MultimodalData, mmTokenTypeIds } from "../../src/images/index.ts";

const pad = 9;

/** Ids in which images of some lengths stand between stretches of text. */
const withImages = fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 6 })), { maxLength: 6 }).map((pieces) => {
  const tokenIds: number[] = [];
  const images = pieces.map(([text, length], message) => {
    for (let i = 0; i < text; i++) tokenIds.push(i);
    const offset = tokenIds.length;
    for (let i = 0; i < length; i++) tokenIds.push(pad);
    return { hash: `h${message}`, message, offset, length };
  });
  return { tokenIds: Int32Array.from(tokenIds), multimodal: { images } satisfies MultimodalData };
});

test("types mark the images' placeholders and nothing else, by id and by place alike", () => {
  fc.assert(
    fc.property(withImages, (rendered) => {
      const types = mmTokenTypeIds(rendered);
      expect(types).toBeInstanceOf(Int32Array);
      expect(Array.from(types)).toEqual(Array.from(rendered.tokenIds, (id) => (id === pad ? 1 : 0)));
      expect(mmTokenTypeIds(rendered, new Map([[pad, 1]]))).toEqual(types);
    }),
  );
});

test("without images every type is 0; a map may have more types", () => {
  expect(Array.from(mmTokenTypeIds({ tokenIds: [1, 2, pad] }))).toEqual([0, 0, 0]);
  expect(
    Array.from(
      mmTokenTypeIds(
        { tokenIds: [1, 7, pad] },
        new Map([
          [pad, 1],
          [7, 2],
        ]),
      ),
    ),
  ).toEqual([0, 2, 1]);
});

test("joined images stand where the joined ids have their placeholders, in order of appearance", () => {
  fc.assert(
    fc.property(fc.array(withImages, { minLength: 1, maxLength: 4 }), (turns) => {
      let tokenIds: number[] = [];
      let multimodal: MultimodalData | undefined;
      let messages = 0;
      for (const turn of turns) {
        multimodal = joinMultimodal(multimodal, turn.multimodal, { tokens: tokenIds.length, messages });
        tokenIds = [...tokenIds, ...turn.tokenIds];
        messages += turn.multimodal.images.length;
      }
      expect(mmTokenTypeIds({ tokenIds, multimodal })).toEqual(mmTokenTypeIds({ tokenIds }, new Map([[pad, 1]])));
      expect((multimodal?.images ?? []).map(({ message }) => message)).toEqual(
        Array.from({ length: messages }, (_, i) => i),
      );
    }),
  );
});

test("an extension without images leaves the history's as they are", () => {
  const history: MultimodalData = {
    images: [{ hash: "h", message: 0, offset: 2, length: 3, grid: [1, 2, 2], values: {} }],
  };
  expect(joinMultimodal(history, undefined, { tokens: 9, messages: 1 })).toBe(history);
  expect(joinMultimodal(undefined, { images: [] }, { tokens: 9, messages: 1 })).toBeUndefined();
});
