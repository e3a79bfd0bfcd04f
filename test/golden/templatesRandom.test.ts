import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { randomConversation } from "../../bench/oracle/conversations.ts";
import { damage } from "../../bench/oracle/damage.ts";
import { ours, type Rendered } from "../../bench/oracle/engines.ts";
import { print } from "../../bench/oracle/piece.ts";
import { random } from "../../bench/oracle/random.ts";
import { randomContext } from "../../bench/oracle/scope.ts";
import { randomTemplate } from "../../bench/oracle/statements.ts";
import { fixturesDir } from "../support/fixtures.ts";

// What Jinja2 makes of the same cases is compared by bench/oracle/main.ts, where there is a Python.
const fixtures = fixturesDir();
const SEED = 7;

/** A fault is an exception that is none of this package's, or a trace that says something else than the render. */
function faults(cases: readonly (readonly [name: string, rendered: Rendered])[]): string[] {
  return cases.flatMap(([name, rendered]) =>
    "error" in rendered && rendered.error === "fault" ? [`${name}: ${rendered.message}`] : [],
  );
}

const texts = (cases: readonly (readonly [string, Rendered])[]) => cases.filter(([, one]) => "text" in one).length;

describe("a trace and a render are of one mind, and nothing but this package's errors comes out", () => {
  test("on random templates", () => {
    const cases = Array.from({ length: 600 }, (_, index) => {
      const choices = random(SEED, index);
      const template = print(randomTemplate(choices));
      return [template, ours({ template, context: randomContext(choices) })] as const;
    });
    expect(faults(cases)).toEqual([]);
    expect(texts(cases)).toBeGreaterThan(200);
  });

  describe.skipIf(fixtures === undefined)("on real templates", () => {
    const folder = join(fixtures ?? "", "templates");
    const templates =
      fixtures === undefined
        ? []
        : readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

    test("with random conversations", () => {
      const cases = templates.flatMap(([name, template]) =>
        [0, 1, 2, 3, 4].map(
          (index) =>
            [`${name} ${index}`, ours({ template, context: randomConversation(random(SEED, index)) })] as const,
        ),
      );
      expect(faults(cases)).toEqual([]);
      expect(texts(cases)).toBeGreaterThan(100);
    });

    test("damaged", () => {
      const cases = templates.flatMap(([name, template], at) =>
        [0, 1, 2, 3].map((index) => {
          const choices = random(SEED + at, index);
          const context = randomConversation(choices);
          return [`${name} ${index}`, ours({ template: damage(choices, template), context })] as const;
        }),
      );
      expect(faults(cases)).toEqual([]);
      expect(texts(cases)).toBeGreaterThan(20);
    });
  });
});
