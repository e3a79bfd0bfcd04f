import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { pidgin } from "../../examples/custom-family/pidgin.ts";
import { createRenderer, loadTokenizer, registerFamily } from "../../src/index.ts";
import {
  bridgeEqualsRender,
  bridgeExtends,
  chunkingInvariant,
  injectionSafe,
  masksConsistent,
  roundTrips,
} from "../../src/testing/index.ts";
import { modelFile, tokenizer } from "../support/qwen3.ts";

const forget = registerFamily(pidgin, { models: ["me/pidgin-1b"] });
afterAll(forget);

describe.each([false, true])("a family of one's own has every property (terse: %s)", (terse) => {
  const renderer = createRenderer(tokenizer, { name: "pidgin", terse });
  test.each([
    ["round trip", roundTrips(renderer)],
    ["round trip without tools", roundTrips(renderer, { tools: false })],
    ["bridge extends", bridgeExtends(renderer)],
    ["bridge equals render", bridgeEqualsRender(renderer)],
    ["chunking", chunkingInvariant(renderer)],
    ["masks", masksConsistent(renderer)],
    ["injection", injectionSafe(renderer)],
  ])("%s", (_, property) => {
    fc.assert(property as fc.IRawProperty<unknown>, { numRuns: 80 });
  });
});

describe("registerFamily", () => {
  test("finds the family by name, by model, and by template variable", async () => {
    const named = await loadTokenizer(modelFile, { nameOrPath: "me/pidgin-1b" });
    const renderer = createRenderer(named, { name: "auto" }, { chatTemplateKwargs: { terse: true } });
    expect(renderer.config).toMatchObject({ name: "pidgin", terse: true });
    expect(renderer.thinkingRetention).toBe("all");
  });

  test("checks its config like any other", () => {
    expect(() => createRenderer(tokenizer, { name: "pidgin", loud: true } as never)).toThrow(/unknown field "loud"/);
    expect(() => createRenderer(tokenizer, { name: "pidgin", terse: "yes" } as never)).toThrow(/terse: expected/);
  });

  test("a name or model that is taken is refused; what is undone is unknown again", () => {
    expect(() => registerFamily(pidgin)).toThrow(/"pidgin" is known already/);
    const other = { ...pidgin, config: { ...pidgin.config, name: "pidgin-2" } };
    expect(() => registerFamily(other, { models: ["Qwen/Qwen3-8B"] })).toThrow(/"Qwen\/Qwen3-8B" is known already/);
    registerFamily(other)();
    expect(() => createRenderer(tokenizer, { name: "pidgin-2" } as never)).toThrow(/expected a family's name/);
  });

  test("a property that does not hold says what differs", () => {
    const renderer = createRenderer(tokenizer, { name: "pidgin" });
    const deaf = { ...renderer, parseResponse: () => renderer.parseResponse([], { prompt: { reasoning: "closed" } }) };
    expect(() => fc.assert(roundTrips(deaf), { numRuns: 20 })).toThrow(/Property failed/);
  });
});
