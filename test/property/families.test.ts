import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RendererConfigInput, TitoError } from "../../src/index.ts";
import { families } from "../../src/renderers/registry.ts";
import {
  bridgeEqualsRender,
  bridgeExtends,
  chunkingInvariant,
  injectionSafe,
  masksConsistent,
  roundTrips,
} from "../../src/testing/index.ts";
import { familyRenderer, familyTokenizer } from "../support/families.ts";

const names = [...families.keys()];

/** Formats that have one call in a turn. */
const maxCalls: Readonly<Record<string, number>> = { "llama-3": 1 };

describe.each(names)("%s", (name) => {
  const renderer = familyRenderer({ name } as RendererConfigInput);
  const runs = (numRuns: number) => ({ numRuns });

  test("a rendered turn reads back as it was", () => {
    fc.assert(roundTrips(renderer, { maxCalls: maxCalls[name] }), runs(100));
  });

  test("also without the tools' schemas, as far as the format tells types", () => {
    fc.assert(roundTrips(renderer, { tools: false, maxCalls: maxCalls[name] }), runs(100));
  });

  test("also when it renders patched", () => {
    const patched = familyRenderer({ name, patched: true } as RendererConfigInput);
    fc.assert(roundTrips(patched, { maxCalls: maxCalls[name] }), runs(60));
    fc.assert(bridgeEqualsRender(patched), runs(40));
  });

  test("a bridge extends what was sampled, or refuses", () => {
    fc.assert(bridgeExtends(renderer), runs(150));
  });

  test("a bridge gives what a full render gives, where that keeps the history", () => {
    fc.assert(bridgeEqualsRender(renderer), runs(60));
  });

  test("any cutting of a completion reads the same", () => {
    fc.assert(chunkingInvariant(renderer), runs(150));
  });

  test("columns are consistent", () => {
    fc.assert(masksConsistent(renderer), runs(40));
  });

  test("no text from outside makes a control token", () => {
    fc.assert(injectionSafe(renderer), runs(40));
  });

  test("a vocabulary without the markers is refused by their names", () => {
    const bind = () => familyRenderer({ name } as RendererConfigInput).tokenizer;
    expect(bind().addedTokens.length).toBeGreaterThan(0);
    const config = { name } as RendererConfigInput;
    try {
      families.get(renderer.config.name)?.bind(familyTokenizer("", ["<|none|>"]), renderer.config);
      expect.unreachable(`${config.name} took a vocabulary without its markers`);
    } catch (error) {
      expect(error).toBeInstanceOf(TitoError);
      expect((error as TitoError).code).toBe("token_missing");
      expect(((error as TitoError).details.missing as string[]).length).toBeGreaterThan(0);
    }
  });
});
