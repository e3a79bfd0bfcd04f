// Writes the retention policies of all families into docs/families.md: npx tsx scripts/generate-families.ts
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type FamilyRetention, familyConfig, type RetentionRow, retentionTable } from "../src/configs/index.ts";

const [start, end] = ["<!-- policy:start -->", "<!-- policy:end -->"];

/** The page with the retention policy of every family between its markers, as the configs' schemas have it. */
export function withPolicy(page: string): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/families.md needs a line ${start} and, below it, a line ${end}.`);
  return `${page.slice(0, from + start.length)}\n${policy()}\n${page.slice(to)}`;
}

function policy(): string {
  const head = [
    '| family | settings | `thinkingRetention` unset | `"tool_cycle"` | `"all"` |',
    "|---|---|---|---|---|",
  ];
  const rows = alike(retentionTable()).flatMap(({ families, table }) =>
    table.rows.map((row, index) => {
      const names = index === 0 ? families.map((name) => `\`${name}\``).join(", ") : "";
      const { tool_cycle, all } = row.explicit;
      return `| ${[names, settings(table, row), unset(row), cell(tool_cycle), cell(all)].join(" | ")} |`;
    }),
  );
  return [...head, ...rows, ...models()].join("\n");
}

/** Families with the same rows, together. */
function alike(tables: readonly FamilyRetention[]) {
  const groups = new Map<string, { families: string[]; table: FamilyRetention }>();
  for (const table of tables) {
    const key = JSON.stringify([table.knobs, table.rows]);
    const group = groups.get(key);
    if (group) group.families.push(table.family);
    else groups.set(key, { families: [table.family], table });
  }
  return [...groups.values()];
}

function settings({ knobs, rows }: FamilyRetention, row: RetentionRow): string {
  if (Object.keys(knobs).length === 0) return "any";
  return Object.keys(knobs)
    .map((knob) => {
      const value = row.settings[knob];
      const isDefault = value === knobs[knob] && rows.every((other) => other.settings[knob] !== undefined);
      if (value !== undefined) return `\`${knob}: ${JSON.stringify(value)}\`${isDefault ? " (default)" : ""}`;
      const left = knobs[knob] === undefined ? "" : ` (${JSON.stringify(knobs[knob])})`;
      return `\`${knob}\` unset${left}`;
    })
    .join(", ");
}

function unset({ unset: { withoutTools, withTools } }: RetentionRow): string {
  return withoutTools === withTools ? cell(withTools) : `with tools ${cell(withTools)}, else ${cell(withoutTools)}`;
}

const cell = (policy: string): string => (policy === "contradiction" ? "error" : `\`"${policy}"\``);

/** Models whose defaults differ from their family's. */
function models(): string[] {
  const lines = retentionTable().flatMap(({ family }) =>
    Object.entries(familyConfig(family)?.modelDefaults ?? {}).map(([model, fields]) => {
      const own = Object.entries(fields).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
      return `| \`${model}\` | \`${family}\` | \`${own.join(", ")}\` |`;
    }),
  );
  return lines.length === 0 ? [] : ["", "| model | family | defaults of its own |", "|---|---|---|", ...lines];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = new URL("../docs/families.md", import.meta.url);
  writeFileSync(file, withPolicy(readFileSync(file, "utf8")));
}
