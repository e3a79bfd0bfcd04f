import { z } from "zod";
import { TitoError } from "../errors.ts";
import { checkConfig } from "./checkConfig.ts";
import { familyConfigs } from "./families/index.ts";
import { familyFields, type TemplateRetention } from "./familyConfig.ts";
import type { RendererConfig, RendererConfigInput } from "./rendererConfig.ts";
import { effectiveRetention } from "./retention.ts";
import { sharedFields, type ThinkingRetention } from "./sharedFields.ts";

/** A family's knobs that decide what becomes of earlier thinking, and what they decide. */
export interface FamilyRetention {
  readonly family: string;
  /** Field → its default; undefined where there is none. */
  readonly knobs: Readonly<Record<string, unknown>>;
  /** One row for every combination of the knobs' values. */
  readonly rows: readonly RetentionRow[];
}

export interface RetentionRow {
  /** Knob → value. A knob that is not there is left out of the config, where that differs from writing its default. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The policy when `thinkingRetention` is unset: of conversations without tools, and with them. */
  readonly unset: { readonly withoutTools: TemplateRetention; readonly withTools: TemplateRetention };
  /** The policy for each explicit `thinkingRetention`; `"contradiction"`: the config is refused. */
  readonly explicit: Readonly<Record<ThinkingRetention, ThinkingRetention | "contradiction">>;
}

/** The retention policy of every family, found by trying every combination of the fields that have few values. */
export function retentionTable(): FamilyRetention[] {
  return familyConfigs.map(({ name, schema }) => familyRetention(name, schema));
}

type Settings = Readonly<Record<string, unknown>>;
type Domains = ReadonlyMap<string, readonly unknown[]>;

function familyRetention(family: string, schema: z.ZodObject): FamilyRetention {
  const known = new Map<string, string>();
  const judge = (settings: Settings): string => {
    const key = JSON.stringify(settings);
    const verdict = known.get(key) ?? JSON.stringify(decide(family, settings));
    known.set(key, verdict);
    return verdict;
  };
  let domains: Domains = enumerableFields(schema);
  for (const [field, values] of domains) {
    if (interchangeable(domains, field, values, judge)) domains = without(domains, field);
  }
  const defaults = schema.parse({ name: family });
  for (const [field, values] of domains) {
    const unset = [undefined, defaults[field]];
    const isWritten = defaults[field] !== undefined;
    if (isWritten && interchangeable(domains, field, unset, judge))
      domains = new Map([...domains, [field, values.slice(1)]]);
  }
  const knobs = Object.fromEntries([...domains.keys()].map((field) => [field, defaults[field]]));
  const rows = combinations(domains).map((settings) => ({ settings, ...decide(family, settings) }));
  return { family, knobs, rows };
}

function decide(family: string, settings: Settings): Omit<RetentionRow, "settings"> {
  const config = (thinkingRetention?: ThinkingRetention) =>
    checkConfig({ name: family, ...settings, thinkingRetention } as RendererConfigInput) as RendererConfig;
  const explicit = (thinkingRetention: ThinkingRetention): ThinkingRetention | "contradiction" => {
    try {
      return effectiveRetention(config(thinkingRetention)) as ThinkingRetention;
    } catch (error) {
      if (error instanceof TitoError && error.details.field === "thinkingRetention") return "contradiction";
      throw error;
    }
  };
  const free = config();
  return {
    unset: {
      withoutTools: effectiveRetention(free, { tools: false }),
      withTools: effectiveRetention(free, { tools: true }),
    },
    explicit: { tool_cycle: explicit("tool_cycle"), all: explicit("all") },
  };
}

/** The family's own fields of few values, each with all of these; unset comes first. */
function enumerableFields(schema: z.ZodObject): Domains {
  const fields = Object.entries(schema.shape).flatMap(([field, type]): [string, unknown[]][] => {
    if (field === "name" || field in sharedFields || field in familyFields) return [];
    const inner = type instanceof z.ZodDefault || type instanceof z.ZodOptional ? type.unwrap() : type;
    if (inner instanceof z.ZodBoolean) return [[field, [undefined, true, false]]];
    return inner instanceof z.ZodEnum ? [[field, [undefined, ...inner.options]]] : [];
  });
  return new Map(fields);
}

/** Does it make no difference which of these values the field has, whatever the others are? */
function interchangeable(
  domains: Domains,
  field: string,
  values: readonly unknown[],
  judge: (settings: Settings) => string,
): boolean {
  return combinations(without(domains, field)).every(
    (others) => new Set(values.map((value) => judge(set(others, field, value)))).size === 1,
  );
}

function combinations(domains: Domains): Settings[] {
  return [...domains].reduce<Settings[]>(
    (rows, [field, values]) => rows.flatMap((row) => values.map((value) => set(row, field, value))),
    [{}],
  );
}

const set = (settings: Settings, field: string, value: unknown): Settings =>
  value === undefined ? settings : { ...settings, [field]: value };

const without = (domains: Domains, field: string): Domains =>
  new Map([...domains].filter(([other]) => other !== field));
