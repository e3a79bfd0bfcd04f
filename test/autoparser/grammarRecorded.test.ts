import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { layoutGrammar } from "../../src/autoparser/grammar/index.ts";
import { analyze } from "../../src/autoparser/index.ts";
import { type Gbnf, parseGbnf, whyNot } from "../../src/gbnf/index.ts";
import type { ToolSpec } from "../../src/messages/index.ts";
import { beginningOf } from "../../src/parse/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { checkSampled, checkSpelled } from "../support/grammarProperties.ts";
import { fromTrigger } from "../support/grammarUses.ts";

const fixtures = requireFixtures();
const templates = fixtures === undefined ? "" : join(fixtures, "templates");
const recorded = fixtures === undefined ? "" : join(fixtures, "llama-cpp", "parse");
const names =
  fixtures === undefined
    ? []
    : readdirSync(recorded).flatMap((file) => (file.endsWith(".jsonl") ? [file.slice(0, -6)] : []));

interface Case {
  readonly id: string;
  readonly scenario: string;
  readonly tools: readonly ToolSpec[];
  readonly tool_choice: "auto" | "required";
  readonly generation_prompt: string;
  readonly completion_text: string;
  readonly expected: { readonly tool_calls: readonly { readonly arguments: string }[] };
}

/** What no grammar of the layout holds: calls cut short, or with white space that no template writes. */
const damaged = ["truncated_final", "ws_after_start_marker"];
/** Texts that the parser reads in another way than they were meant, too, or that lost an argument when they were rendered. */
const lost = [
  "google-gemma-4-31B-it/own_marker_in_arg",
  "google-gemma-4-31B-it-interleaved/own_marker_in_arg",
  "openbmb-MiniCPM5-1B/nested_unicode_args",
];

describe.skipIf(fixtures === undefined)("grammars of real chat templates", () => {
  let accepted = 0;
  let total = 0;

  test.each(names)("%s", (name) => {
    const { layout, header, stops } = analyze(readFileSync(join(templates, `${name}.jinja`), "utf8"));
    const cases = readFileSync(join(recorded, `${name}.jsonl`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Case)
      .filter(({ expected, scenario }) => expected.tool_calls.length > 0 && !damaged.includes(scenario));
    const grammars = new Map<string, Gbnf>();
    const refused: string[] = [];
    for (const { id, tools, tool_choice: toolChoice, generation_prompt: prompt, completion_text: text } of cases) {
      const at = header.trimEnd() === "" ? -1 : prompt.lastIndexOf(header.trimEnd());
      const beginning = beginningOf(layout, at < 0 ? prompt : prompt.slice(at + header.trimEnd().length));
      const grammar = layoutGrammar(layout, { tools, toolChoice, beginning, stops });
      const gbnf = grammar && (grammars.get(grammar.gbnf) ?? parseGbnf(grammar.gbnf));
      if (gbnf) grammars.set(grammar.gbnf, gbnf);
      const held = grammar && fromTrigger(grammar, text);
      const why = gbnf && held ? (whyNot(gbnf, held)?.message ?? null) : "nothing triggers it";
      if (!lost.includes(id)) total++;
      if (why === null) accepted++;
      else if (!lost.includes(id)) refused.push(`${id}: ${why}`);
    }
    expect(refused).toEqual([]);
    if (layout.calls === null) return;
    checkSpelled(name, layout, "auto", 6);
    checkSpelled(name, layout, "required", 6);
    checkSampled(layout, "auto", 4);
    checkSampled(layout, "required", 4);
  });

  afterAll(() => {
    if (names.length > 0) expect(accepted).toBeGreaterThanOrEqual(total);
  });
});
