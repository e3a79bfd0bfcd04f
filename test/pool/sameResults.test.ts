import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type Message, messagesFromJson, parseJson, toolsFromJson } from "../../src/index.ts";
import { createRendererPool } from "../../src/pool/index.ts";
import { anyIds, conversation, cutInto, text, tools } from "../support/arbitraries.ts";
import { qwen3, tokenizer } from "../support/qwen3.ts";
import { config, poolWith } from "./threads.ts";

const plain = qwen3();
const pools = {
  "in this thread": await createRendererPool(tokenizer, { config, size: 0 }),
  "in threads": await poolWith(),
};
afterAll(() => Promise.all(Object.values(pools).map((pool) => pool.close())));

const user = text.map((content): Message => ({ role: "user", content }));
const options = fc.record({
  tools: fc.constantFrom(undefined, null, tools),
  addGenerationPrompt: fc.constantFrom(undefined, true, false),
});
const prompt = fc.oneof(anyIds, fc.constantFrom({ reasoning: "open" } as const, { reasoning: "unknown" } as const));

describe.each(Object.entries(pools))("%s, results are the renderer's own:", (_, pool) => {
  const runs = { numRuns: 40 };

  it("render and renderIds", () =>
    fc.assert(
      fc.asyncProperty(conversation(), options, async (messages, given) => {
        expect(await pool.render(messages, given)).toEqual(plain.render(messages, given));
        expect(await pool.renderIds(messages, given)).toEqual(plain.renderIds(messages, given));
      }),
      runs,
    ));

  it("parseResponse, whatever the ids and however they are held", () =>
    fc.assert(
      fc.asyncProperty(anyIds, prompt, options, async (ids, opened, { tools }) => {
        const expected = plain.parseResponse(ids, { prompt: opened, tools });
        expect(await pool.parseResponse(ids, { prompt: opened, tools })).toEqual(expected);
        const part = Int32Array.from([1, ...ids, 2]).subarray(1, ids.length + 1);
        expect(await pool.parseResponse(part, { prompt: opened, tools })).toEqual(expected);
        expect(part.length).toBe(ids.length);
      }),
      runs,
    ));

  it("bridgeToNextTurn, refusals included", () =>
    fc.assert(
      fc.asyncProperty(
        anyIds,
        anyIds,
        fc.array(user, { maxLength: 2 }),
        async (promptIds, completionIds, newMessages) => {
          const request = { promptIds, completionIds, newMessages };
          expect(await pool.bridgeToNextTurn(request)).toEqual(plain.bridgeToNextTurn(request));
          const packed = { ...request, promptIds: Int32Array.from(promptIds) };
          expect(await pool.bridgeToNextTurn(packed)).toEqual(plain.bridgeToNextTurn(packed));
        },
      ),
      runs,
    ));

  it("the parser, however the ids are cut, awaited or not", () =>
    fc.assert(
      fc.asyncProperty(anyIds, fc.array(fc.nat(20), { maxLength: 4 }), async (ids, cuts) => {
        const whole = plain.parser({ prompt: { reasoning: "open" }, tools });
        const streamed = await pool.parser({ prompt: { reasoning: "open" }, tools });
        const pieces = cutInto(ids, cuts);
        const events = await Promise.all(pieces.map((piece) => streamed.push(piece)));
        expect(events).toEqual(pieces.map((piece) => whole.push(piece)));
        const resumed = await pool.parser({ prompt: [], tools, state: streamed.state });
        const end = whole.end();
        expect(await resumed.end()).toEqual(end);
        expect(await streamed.end()).toEqual(end);
      }),
      runs,
    ));

  it("the parser, of more ids than one turn reads", async () => {
    const ids = tokenizer.encode(`<think>\n${"so many words ".repeat(5000)}\n</think>\n\nhello<|im_end|>`);
    const streamed = await pool.parser({ prompt: [] });
    const events = await streamed.push(ids);
    const thought = events.map((event) => (event.kind === "reasoning" ? event.text : "")).join("");
    const { response } = await streamed.end();
    expect(response).toEqual(plain.parseResponse(ids, { prompt: [] }));
    expect(thought).toBe(response.reasoning?.text);
  });

  it("batches, in order", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(conversation(), { maxLength: 6 }),
        fc.array(anyIds, { maxLength: 6 }),
        async (all, ids) => {
          expect(await pool.renderBatch(all, { tools })).toEqual(all.map((one) => plain.render(one, { tools })));
          const requests = ids.map((one, i) => ({ ids: one, prompt: ids[i] }));
          expect(await pool.parseBatch(requests)).toEqual(
            requests.map(({ ids, prompt }) => plain.parseResponse(ids, { prompt })),
          );
        },
      ),
      runs,
    ));

  it("a checked-out renderer is a whole renderer", async () => {
    await using renderer = await pool.checkout();
    const messages: Message[] = [{ role: "user", content: "hi" }];
    const promptIds = plain.renderIds(messages, { addGenerationPrompt: true });
    const completionIds = tokenizer.encode("<think>\nhm\n</think>\n\nhello<|im_end|>");
    expect(await renderer.render(messages)).toEqual(plain.render(messages));
    expect(await renderer.renderIds(messages, { addGenerationPrompt: true })).toEqual(promptIds);
    const given = { prompt: promptIds };
    expect(await renderer.parseResponse(completionIds, given)).toEqual(plain.parseResponse(completionIds, given));
    const parser = await renderer.parser(given);
    await parser.push(completionIds);
    expect((await parser.end()).response.content).toBe("hello");
    const bridge = { promptIds, completionIds, newMessages: messages };
    expect(await renderer.bridgeToNextTurn(bridge)).toEqual(plain.bridgeToNextTurn(bridge));
    for (const fact of ["config", "stopTokenIds", "thinkingRetention", "isPrefixStable"] as const)
      expect(renderer[fact]).toEqual(plain[fact]);
    expect(renderer.tokenizer).toBe(tokenizer);
  });

  it("number text, key order and names of fields survive", async () => {
    const line = `[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function",
      "function":{"name":"f","arguments":{"2":1.0,"1":12345678901234567890,"__proto__":{"x":1e-7},"l":[-0.0,1E5]}}}]}]`;
    const spec = `[{"type":"function","function":{"name":"f","parameters":{"b":1.50,"10":2,"9":{"__proto__":3.0}}}}]`;
    const messages = messagesFromJson(parseJson(line));
    const given = { tools: toolsFromJson(parseJson(spec)) };
    const expected = plain.renderIds(messages, given);
    expect(await pool.renderIds(messages, given)).toEqual(expected);
    expect(tokenizer.decode(expected)).toContain('{"2": 1.0, "1": 12345678901234567890, "__proto__": {"x": 1e-07}');
  });

  it("errors keep class, code, message and details", async () => {
    const wrong: Message[][] = [
      [],
      [{ role: "tool", content: "x", tool_call_id: "none" }],
      [{ role: "owl", content: "x" }],
      [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: { at: new Date(0) as never } } }] }],
    ];
    for (const messages of wrong) {
      const expected = errorOf(() => plain.render(messages));
      const error = await pool.render(messages).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ name: "TitoError", message: expected.message });
      expect({ ...(error as object) }).toEqual({ ...expected });
    }
    const good: Message[] = [{ role: "user", content: "x" }];
    await expect(pool.renderBatch([good, wrong[2]])).rejects.toMatchObject({
      code: "unknown_role",
      details: { item: 1, message: 0 },
    });
  });

  it("what cannot be cloned exactly is read as the renderer reads it", async () => {
    class Turn {
      readonly role = "user";
      readonly content = "hi";
    }
    const proxy = new Proxy<Message>({ role: "user", content: "hi" }, {});
    const expected = plain.renderIds([{ role: "user", content: "hi" }]);
    expect(await pool.renderIds([new Turn()])).toEqual(expected);
    expect(await pool.renderIds([proxy])).toEqual(expected);
    expect(await pool.renderBatch([[proxy], [new Turn()]])).toHaveLength(2);
  });
});

it("columns come back as arrays of their own size, and arguments are left alone", async () => {
  const pool = pools["in threads"];
  const messages: Message[] = [{ role: "user", content: "word ".repeat(5000) }];
  const { tokenIds, messageIndices, sampledMask, contentMask } = await pool.render(messages);
  for (const column of [tokenIds, messageIndices, sampledMask, contentMask]) {
    expect(column.length).toBe(tokenIds.length);
    expect(column.buffer.byteLength).toBe(column.byteLength);
  }
  const promptIds = tokenIds.slice();
  const request = { promptIds, completionIds: promptIds, newMessages: messages };
  await pool.bridgeToNextTurn(request);
  expect(promptIds).toEqual(tokenIds);
});

function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error");
}
