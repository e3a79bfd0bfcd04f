import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTrainingSample, mmTokenTypeIds, Rollout } from "../../src/index.ts";
import { images } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const renderer = familyRenderer({ name: "qwen3-vl", addVisionId: true });
const { tokenizer } = renderer;
const pad = tokenizer.tokenToId("<|image_pad|>") ?? -1;
const content = fc.array(fc.oneof(images(), fc.constant({ type: "text" as const, text: "look" })), { maxLength: 3 });

/** Ranges of neighbouring placeholders, as the ids have them. */
function ranges(ids: Int32Array): [number, number][] {
  const found: [number, number][] = [];
  for (const [i, id] of ids.entries()) {
    if (id !== pad) continue;
    const last = found.at(-1);
    if (last && last[0] + last[1] === i) last[1]++;
    else found.push([i, 1]);
  }
  return found;
}

test("a rollout knows where its images stand, from turn to turn, and numbers them through", () => {
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), (contents) => {
      const [first, ...later] = contents.map((one) => ({ role: "user" as const, content: one }));
      const rollout = new Rollout({ renderer, messages: [first] });
      for (const message of later) {
        rollout.addCompletion({ ids: tokenizer.encode("Seen.<|im_end|>") });
        expect(rollout.addMessages([message])).toBeNull();
      }
      const placed = rollout.multimodal?.images ?? [];
      expect(placed.map(({ offset, length }) => [offset, length])).toEqual(ranges(rollout.promptIds));
      expect(placed.map(({ message }) => rollout.messages[message].role)).toEqual(placed.map(() => "user"));
      const text = tokenizer.decode(rollout.promptIds);
      placed.forEach((_, i) => {
        expect(text).toContain(`Picture ${i + 1}: <|vision_start|>`);
      });
      const types = mmTokenTypeIds({ tokenIds: rollout.promptIds, multimodal: rollout.multimodal });
      expect(Array.from(types)).toEqual(Array.from(rollout.promptIds, (id) => Number(id === pad)));
      rollout.addCompletion({ ids: tokenizer.encode("Done.<|im_end|>") });
      const [sample] = rollout.samples();
      expect(sample.multimodal?.images ?? []).toEqual(placed);
      const supervised = buildTrainingSample(renderer, rollout.messages);
      expect(supervised.multimodal?.images.map(({ hash }) => hash) ?? []).toEqual(placed.map(({ hash }) => hash));
    }),
    { numRuns: 40 },
  );
});
