import fc from "fast-check";
import { expect, test } from "vitest";
import { createRenderer } from "../../src/index.ts";
import { matchesTemplate } from "../../src/testing/index.ts";
import { qwen3 } from "../support/qwen3.ts";
import { bareTokenizer, changed, ownTemplate } from "./support.ts";

test("a renderer that does as its template", () => {
  fc.assert(matchesTemplate(qwen3()), { numRuns: 60 });
  fc.assert(matchesTemplate(qwen3({ enableThinking: false })), { numRuns: 60 });
});

test.each([
  ["thought.strip('\\n')", "thought.strip()"],
  ["if text or not loop.first", "if not loop.first"],
  ["{{- open('assistant') }}", "{{- open('assistant ') }}"],
])("one that does not: %s", (from, to) => {
  const template = changed(ownTemplate, from, to);
  expect(() => fc.assert(matchesTemplate(qwen3(), { template, samples: undefined }), { numRuns: 500 })).toThrow();
});

test("nothing to compare is a failure", () => {
  const bare = createRenderer(bareTokenizer(), { name: "qwen3" });
  expect(() => fc.assert(matchesTemplate(bare))).toThrow(/failed/);
  const silent = matchesTemplate(qwen3(), { template: "{{ raise_exception('no') }}" });
  expect(() => fc.assert(silent, { numRuns: 5 })).toThrow(/pre-condition/);
});
