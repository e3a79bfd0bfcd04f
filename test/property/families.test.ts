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
  type TurnLimits,
} from "../../src/testing/index.ts";
import { familyRenderer, familyTokenizer } from "../support/families.ts";

const names = [...families.keys()];

/** Formats whose turns hold less than others'. */
const turnLimits: Readonly<Record<string, TurnLimits>> = { "llama-3": { maxCalls: 1, contentBesideCalls: false } };

/** A template that rewrites history has no bridge unless it is asked for. */
const bridgeable: Readonly<Record<string, object>> = { "deepseek-r1": { thinkingRetention: "all" } };

/** Unpatched, Gemma's format moves words behind the results of the calls beside them. */
const keptTurns: Readonly<Record<string, TurnLimits>> = { gemma4: { contentBesideCalls: false } };

describe.each(names)("%s", (name) => {
  const renderer = familyRenderer({ name } as RendererConfigInput);
  const limits = turnLimits[name] ?? {};
  const runs = (numRuns: number) => ({ numRuns });

  test("a rendered turn reads back as it was", () => {
    fc.assert(roundTrips(renderer, limits), runs(100));
  });

  test("also without the tools' schemas, as far as the format tells types", () => {
    fc.assert(roundTrips(renderer, { ...limits, tools: false }), runs(100));
  });

  test("also when it renders patched", () => {
    const patched = familyRenderer({ name, patched: true, ...bridgeable[name] } as RendererConfigInput);
    fc.assert(roundTrips(patched, limits), runs(60));
    fc.assert(bridgeEqualsRender(patched, limits), runs(40));
  });

  test("a bridge extends what was sampled, or refuses", () => {
    fc.assert(bridgeExtends(renderer, limits), runs(150));
  });

  test("a bridge gives what a full render gives, where that keeps the history", () => {
    const bridging = familyRenderer({ name, ...bridgeable[name] } as RendererConfigInput);
    fc.assert(bridgeEqualsRender(bridging, { ...limits, ...keptTurns[name] }), runs(60));
  });

  test("any cutting of a completion reads the same", () => {
    fc.assert(chunkingInvariant(renderer, limits), runs(150));
  });

  test("columns are consistent", () => {
    fc.assert(masksConsistent(renderer, limits), runs(40));
  });

  test("no text from outside makes a control token", () => {
    fc.assert(injectionSafe(renderer, limits), runs(40));
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
