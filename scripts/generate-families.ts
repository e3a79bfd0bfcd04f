// Writes the tables of docs/families.md: npx tsx scripts/generate-families.ts
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { familyFields } from "../src/configs/familyConfig.ts";
import {
  type FamilyRetention,
  familyConfig,
  familyNames,
  type RetentionRow,
  retentionTable,
} from "../src/configs/index.ts";
import { sharedFields } from "../src/configs/sharedFields.ts";
import { familyRows } from "./familyRows.ts";

const sections: Readonly<Record<string, () => string>> = { families, patched, policy };

/** The page with what is generated between its markers, as the configs' schemas and `familyRows` have it. */
export function withTables(page: string): string {
  let text = page;
  for (const [name, write] of Object.entries(sections)) {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/families.md needs a line ${start} and, below it, a line ${end}.`);
    text = `${text.slice(0, from + start.length)}\n${write()}\n${text.slice(to)}`;
  }
  return text;
}

/** A row for each family: what it is, what can be set, what its bridge does. */
function families(): string {
  const head = [
    "family",
    "wire format",
    "config fields",
    "tool calls",
    "images",
    "bridge",
    "tokenizer",
    "differs from the published template",
  ];
  const rows = familyNames.map((name) => {
    const row = rowOf(name);
    const page = `[${name}](formats/${name}.md)`;
    return [page, row.wireFormat, fields(name), row.calls, row.images, row.bridge, row.tokenizer, row.differences];
  });
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function patched(): string {
  const rows = familyNames.map((name) => `| \`${name}\` | ${rowOf(name).patched} |`);
  return ["| family | `patched: true` |", "|---|---|", ...rows].join("\n");
}

function rowOf(name: string) {
  const row = familyRows[name];
  if (!row) throw new Error(`scripts/familyRows.ts has no row for ${name}.`);
  return row;
}

const shared = ["name", ...Object.keys(sharedFields), ...Object.keys(familyFields)];

/** A family's own fields; those of its template are set apart from the renderer's. */
function fields(name: string): string {
  const config = familyConfig(name);
  const own = Object.keys(config?.schema.shape ?? {}).filter((field) => !shared.includes(field));
  const ofTemplate = new Set<string>(Object.values(config?.templateFields ?? {}));
  return own.map((field) => (ofTemplate.has(field) ? `\`${field}\`` : `*${field}*`)).join(", ") || "–";
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
  writeFileSync(file, withTables(readFileSync(file, "utf8")));
}
