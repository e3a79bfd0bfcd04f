import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { conform } from "../../src/conform/index.ts";
import { requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();
const recordings = fixtures === undefined ? "" : join(fixtures, "llama-cpp", "render");
const files = fixtures === undefined ? [] : readdirSync(recordings).filter((file) => file.endsWith(".jsonl"));

describe.skipIf(fixtures === undefined)("recorded renders of real chat templates", () => {
  test("there are seventy of them", () => {
    expect(files.length).toBeGreaterThanOrEqual(70);
  });

  test.each(files)("%s", async (file) => {
    const [summary] = await conform([join(recordings, file)]);
    expect(summary.failures).toEqual([]);
    expect(summary.skipped).toBe(0);
    expect(summary.passed).toBeGreaterThan(5);
  });
});

describe("template_render on cases of our own", () => {
  const root = mkdtempSync(join(tmpdir(), "tito-templates-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** `"@1.0"` in a case is the number 1.0, which JSON.stringify cannot write. */
  async function run(template: string, ...cases: readonly object[]) {
    await mkdir(join(root, "golden"), { recursive: true });
    await mkdir(join(root, "templates"), { recursive: true });
    writeFileSync(join(root, "templates", "t.jinja"), template);
    const lines = cases.map((one, i) =>
      JSON.stringify({ id: `${i}`, kind: "template_render", template: "t.jinja", ...one }),
    );
    const file = join(root, "cases.jsonl");
    writeFileSync(file, lines.map((line) => `${line.replaceAll('"@1.0"', "1.0")}\n`).join(""));
    const [summary] = await conform([file], { fixtures: root });
    return summary;
  }

  test("the text decides, and numbers keep theirs", async () => {
    const context = { x: "@1.0" };
    const { passed, failures } = await run(
      "{{ x }}\n",
      { context, expect: { text: "1.0" } },
      { context, expect: { text: "1" } },
    );
    expect(passed).toBe(1);
    expect(failures).toEqual([{ id: "1", why: 'text at 1: expected the end, got ".0"' }]);
  });

  test("an error passes where one is recorded, and only there", async () => {
    const { passed, failures } = await run(
      "{{ raise_exception(m) if m else 'fine' }}",
      { context: { m: "no" }, expect: { error: "TemplateError: no" } },
      { context: { m: "no" }, expect: { text: "fine" } },
      { context: { m: "" }, expect: { error: "TemplateError: no" } },
    );
    expect(passed).toBe(1);
    expect(failures.map(({ id }) => id)).toEqual(["1", "2"]);
    expect(failures[0].why).toContain("template_raised");
  });

  test("the sandbox is transformers', unless the recording says another", async () => {
    const expect_ = { text: "[1]" };
    const { failures } = await run(
      "{% set l = [] %}{% set _ = l.append(1) %}{{ l }}",
      { context: {}, expect: expect_ },
      { context: {}, expect: expect_, sandbox: "mutable" },
    );
    expect(failures.map(({ id }) => id)).toEqual(["0"]);
  });

  test("dates are those of the recording", async () => {
    const { passed } = await run("{{ strftime_now('%d %b %Y %H:%M') }}", {
      context: {},
      expect: { text: "01 Jan 2025 00:00" },
    });
    expect(passed).toBe(1);
  });

  test("a case without its template is skipped", async () => {
    const { skipped } = await run("", { context: {}, template: "none.jinja", expect: { text: "" } });
    expect(skipped).toBe(1);
  });
});
