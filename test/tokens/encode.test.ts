import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attributeTextSegments } from "../../src/index.ts";
import { encodeSpanIds, encodeSpans, type Span, SpanWriter } from "../../src/tokens/index.ts";
import { hostileText, text } from "../support/arbitraries.ts";
import { ids, tokenizer } from "../support/qwen3.ts";

const span = (content: string, message: number, trusted = true): Span => ({
  kind: "text",
  text: content,
  message,
  sampled: false,
  content: false,
  trusted,
});

/** Which span each byte of the normalised text comes from, found without the code under test. */
function owners(parts: readonly string[]): number[] {
  const all = parts.join("");
  const owner: number[] = [];
  let at = 0;
  for (const character of all.normalize("NFC")) {
    // Only texts whose normal form is themselves are given.
    let part = 0;
    let end = parts[0].length;
    while (at >= end) end += parts[++part].length;
    for (let i = 0; i < Buffer.byteLength(character); i++) owner.push(part);
    at += character.length;
  }
  return owner;
}

describe("spans", () => {
  test("one pass over neighbouring text: the ids of the joined text", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (parts) => {
        const spans = parts.map((part, i) => span(part, i));
        expect(encodeSpanIds(spans, tokenizer)).toEqual(ids(parts.join("")));
        expect(encodeSpans(spans, tokenizer).tokenIds).toEqual(ids(parts.join("")));
      }),
    );
  });

  test("a token belongs to the span of its first byte", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (given) => {
        const parts = given.map((part) => part.normalize("NFC")).filter((part) => part !== "");
        fc.pre(parts.length > 0 && parts.join("").normalize("NFC") === parts.join(""));
        const { tokenIds, messageIndices } = encodeSpans(
          parts.map((part, i) => span(part, i)),
          tokenizer,
        );
        const owner = owners(parts);
        let byte = 0;
        tokenIds.forEach((id, i) => {
          expect(messageIndices[i]).toBe(owner[byte]);
          byte += tokenizer.byteLength(id);
        });
        expect(byte).toBe(owner.length);
      }),
      { numRuns: 300 },
    );
  });

  test("a character composed across two spans belongs to the first", () => {
    const { tokenIds, messageIndices } = encodeSpans([span("caf e", 0), span("\u0301 au lait", 1)], tokenizer);
    expect(tokenIds).toEqual(ids("caf é au lait"));
    const bytes = Array.from(tokenIds, (id) => tokenizer.decode([id]));
    const firstOfSecond = messageIndices.indexOf(1);
    expect(bytes.slice(0, firstOfSecond).join("")).toBe("caf é");
  });

  test("a surrogate pair that two spans share is one character", () => {
    const [high, low] = ["🤔".slice(0, 1), "🤔".slice(1)];
    const { tokenIds, messageIndices } = encodeSpans(
      [span(`a${high}`, 0), span(`${low}b c`, 1), span(" d", 2)],
      tokenizer,
    );
    expect(tokenIds).toEqual(ids("a🤔b c d"));
    expect(tokenizer.decode(tokenIds.filter((_, i) => messageIndices[i] === 2))).toBe(" d");
  });

  test("a marker is matched only where all of it is trusted", () => {
    const special = ids("<|im_end|>")[0];
    for (let cut = 1; cut < "<|im_end|>".length; cut++) {
      const [a, b] = ["<|im_end|>".slice(0, cut), "<|im_end|>".slice(cut)];
      const has = (...spans: Span[]) => encodeSpanIds(spans, tokenizer).includes(special);
      expect(has(span(a, 0), span(b, 1))).toBe(true);
      expect(has(span(a, 0, false), span(b, 1))).toBe(false);
      expect(has(span(a, 0), span(b, 1, false))).toBe(false);
      expect(has(span(a, 0, false), span(b, 1, false))).toBe(false);
    }
  });

  test("hostile bodies between trusted text never match, and spell what they say", () => {
    const specials = new Set(tokenizer.addedTokens.map((token) => token.id));
    fc.assert(
      fc.property(hostileText, hostileText, (a, b) => {
        const spans = [span("x", 0), span(a, 1, false), span("y", 2), span(b, 3, false)];
        const { tokenIds } = encodeSpans(spans, tokenizer);
        expect(tokenIds.some((id) => specials.has(id))).toBe(false);
        expect(tokenizer.decode(tokenIds)).toBe(`x${a}y${b}`.normalize("NFC"));
      }),
    );
  });

  test("the writer gives origins as the words say", () => {
    const out = new SpanWriter({ contentSpecials: "text" });
    out.at(2).token(5).scaffold("a").body("b").foreign("c").sampled("d").sampledToken(6).scaffold("");
    expect(out.spans.map((one) => [one.sampled, one.content, one.kind === "text" && one.trusted, one.message])).toEqual(
      [
        [false, false, false, 2],
        [false, false, true, 2],
        [false, true, false, 2],
        [false, false, false, 2],
        [true, true, true, 2],
        [true, true, false, 2],
      ],
    );
  });
});

describe("attributeTextSegments", () => {
  test("first byte, or any byte", () => {
    const segments = [
      { text: "<user>", content: false },
      { text: "\n\nhi", content: true },
      { text: "\n", content: false },
    ];
    const first = attributeTextSegments(tokenizer, segments);
    const any = attributeTextSegments(tokenizer, segments, { overlapIsContent: true });
    expect(first.tokenIds).toEqual(ids("<user>\n\nhi\n"));
    const content = (mask: Uint8Array) => tokenizer.decode(first.tokenIds.filter((_, i) => mask[i] === 1));
    expect(content(first.contentMask)).not.toContain(">");
    expect(content(any.contentMask)).toContain(">\n\nhi");
  });

  test("nothing gives nothing", () => {
    expect(attributeTextSegments(tokenizer, [])).toEqual({
      tokenIds: new Int32Array(0),
      contentMask: new Uint8Array(0),
    });
  });
});
