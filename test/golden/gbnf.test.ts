import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conform } from "../../src/conform/index.ts";
import { gbnfMatcher, matches, parseGbnf, printGbnf } from "../../src/gbnf/index.ts";
import { type JsonObject, toPlain } from "../../src/messages/json/index.ts";
import { readCases, requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "llama-cpp");
const upstream = join(folder, "upstream");

describe.skipIf(fixtures === undefined)("llama.cpp's own checks of grammars", () => {
  test.each([
    ["json-schema-to-grammar.jsonl", 81, 0],
    ["grammar-integration.jsonl", 49, 2],
    ["grammar-parser.jsonl", 17, 0],
  ])("%s", async (file, passed, skipped) => {
    const [summary] = await conform([join(upstream, file)]);
    expect(summary.failures).toEqual([]);
    expect(summary.passed).toBeGreaterThanOrEqual(passed);
    expect(summary.skipped).toBeLessThanOrEqual(skipped);
  });

  test("texts of tokens, where the lost byte can be told", () => {
    // A token was written as the byte 0xFF and its id in four bytes, of which these have only small ones.
    const mark = /\ufffd([\0-\x7f]{4})/g;
    const records = readCases(join(upstream, "grammar-integration.jsonl"), "grammar")
      // biome-ignore lint/suspicious/noExplicitAny: a record of foreign data
      .map((one) => toPlain(one) as any);
    let tried = 0;
    for (const { grammar, pass, fail } of records) {
      if (!grammar.includes("<[")) continue;
      const gbnf = parseGbnf(grammar);
      const takes = (text: string): boolean => {
        const matcher = gbnfMatcher(gbnf);
        const pieces = text.split(mark);
        const taken = pieces.every((piece, index) => {
          if (index % 2 === 1)
            return matcher.acceptToken(Number.parseInt(Buffer.from(piece).toString("hex"), 16), piece);
          return Array.from(piece).every((character) => matcher.acceptToken(100 + character.charCodeAt(0), character));
        });
        return taken && matcher.isComplete();
      };
      for (const text of pass) expect([text, takes(text)]).toEqual([text, true]);
      for (const text of fail) expect([text, takes(text)]).toEqual([text, false]);
      tried += pass.length + fail.length;
    }
    expect(tried).toBeGreaterThan(15);
  });
});

describe.skipIf(fixtures === undefined)("grammars that llama.cpp made for tool calls", () => {
  const parsed = join(folder, "parse");
  const files = fixtures === undefined ? [] : readdirSync(join(parsed, "grammars"));

  test.each(files)("%s", (file) => {
    const sources = Object.values(JSON.parse(readFileSync(join(parsed, "grammars", file), "utf8")) as object);
    const grammars = sources.map((source: string) => parseGbnf(source));
    for (const gbnf of grammars) expect(parseGbnf(printGbnf(gbnf))).toEqual(gbnf);
    for (const one of readCases(join(parsed, file.replace(/\.json$/, ".jsonl")), "template_parse")) {
      const { id, llama_cpp: recorded } = toPlain(one as JsonObject) as {
        id: string;
        llama_cpp?: { grammar?: { accepted: boolean | null; constrained_text: string } };
      };
      const grammar = recorded?.grammar;
      if (typeof grammar?.accepted !== "boolean") continue;
      // Which of the file's grammars it was is not recorded: one takes the text, or none.
      const taken = grammars.some((gbnf) => matches(gbnf, grammar.constrained_text));
      expect([id, taken]).toEqual([id, grammar.accepted]);
    }
  });
});
