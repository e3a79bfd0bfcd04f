import fc from "fast-check";
import type { Message, ToolSpec } from "../../src/index.ts";
import { hostileTexts, anyIds as idsOf, texts } from "../../src/testing/index.ts";
import { tokenizer } from "./qwen3.ts";

const markers = tokenizer.addedTokens.map((token) => token.content);

/** Text of all scripts. */
export const text = texts();

/** Text that holds the format's own markers, whole and in pieces. */
export const hostileText = hostileTexts(markers);

const hasMarker = (one: string): boolean => markers.some((marker) => one.includes(marker));

/** Text without markers in the form in which Qwen3's tokenizer gives it back. */
export const plainText = text.map((one) => one.normalize("NFC")).filter((one) => !hasMarker(one));

/** Content or reasoning whose edges the format does not trim. */
export const trimmedText = plainText.map((one) => one.replace(/^\n+|\n+$/g, ""));

const key = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 })
  .filter((one) => one !== "__proto__" && !hasMarker(one));

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    plainText,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}));

/** Arguments of a call as a plain object without integer-like keys, which JavaScript would reorder. */
export const callArguments = fc
  .dictionary(
    key.filter((one) => !/^\d/.test(one)),
    json.value as fc.Arbitrary<never>,
    { maxKeys: 4 },
  )
  .map((one) => JSON.parse(JSON.stringify(one)) as Record<string, never>);

export const toolName = fc.constantFrom("calculator", "search", "run_code");

export const tools: readonly ToolSpec[] = ["calculator", "search", "run_code"].map((name) => ({
  type: "function",
  function: { name, description: `Does ${name}.`, parameters: { type: "object", properties: {} } },
}));

/** An assistant's turn: thoughts, words and calls. */
export const assistant = fc
  .record({
    content: trimmedText,
    reasoning: trimmedText,
    calls: fc.array(fc.record({ name: toolName, arguments: callArguments }), { maxLength: 3 }),
  })
  .map(
    ({ content, reasoning, calls }): Message => ({
      role: "assistant",
      content,
      reasoning_content: reasoning,
      ...(calls.length > 0
        ? { tool_calls: calls.map((call, i) => ({ id: `call_${i}`, type: "function" as const, function: call })) }
        : {}),
    }),
  );

const toolResults = (turn: Message, contents: fc.Arbitrary<string>): fc.Arbitrary<Message[]> =>
  fc.tuple(
    ...(turn.tool_calls ?? []).map((call) =>
      contents.map((content): Message => ({ role: "tool", content, tool_call_id: call.id ?? "" })),
    ),
  );

/** A user's question and the turns and tool results that follow it. */
const query = (contents: fc.Arbitrary<string>): fc.Arbitrary<Message[]> =>
  fc
    .tuple(
      contents.map((content): Message => ({ role: "user", content })),
      fc.array(
        assistant.chain((turn) => toolResults(turn, contents).map((results) => [turn, ...results])),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([user, turns]) => [user, ...turns.flat()]);

/** Whole conversations; `contents` is what user, tool and system say. */
export const conversation = (contents: fc.Arbitrary<string> = text): fc.Arbitrary<Message[]> =>
  fc
    .tuple(
      fc.option(
        contents.map((content): Message => ({ role: "system", content })),
        { nil: null },
      ),
      fc.array(query(contents), { minLength: 1, maxLength: 3 }),
    )
    .map(([system, queries]) => [...(system ? [system] : []), ...queries.flat()]);

/** Any ids at all, also such that no vocabulary has. */
export const anyIds = idsOf(tokenizer);

/** Cuts a list into pieces of any size. */
export const cutInto = <Item>(items: readonly Item[], cuts: readonly number[]): Item[][] => {
  const pieces: Item[][] = [];
  let rest = [...items];
  for (const cut of cuts) {
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
};
