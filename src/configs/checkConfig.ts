import { TitoError } from "../errors.ts";
import { configError, variantOf } from "./configError.ts";
import type { AutoConfig } from "./defaultConfig.ts";
import { familyConfig, type RendererConfig, type RendererConfigInput } from "./rendererConfig.ts";
import { retentionConflict } from "./retentionConflict.ts";

/** The variant's config with defaults filled in; that of `auto` still names no family. */
export type CheckedConfig = AutoConfig | RendererConfig;

export interface CheckConfigOptions {
  /** How the user wrote a field, where that is not the field's own name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Values of fields that are left unset, before the schema's own defaults. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** What `checkConfig` gave. A default in it looks like a choice, and might contradict what it did not contradict before. */
const checked = new WeakSet<object>();

/**
 * Checks a config, fills its defaults in and freezes it. Contradictions are looked for among the fields that are given; a
 * config that an earlier check returned is taken as it is. (A copy of one is not known: check what the user wrote.)
 *
 * @throws TitoError `invalid_config` (an unknown field, a wrong value, a contradiction); `details` holds
 * `{ variant, field, expected, actual }`.
 */
export function checkConfig(config: RendererConfigInput, options: CheckConfigOptions = {}): CheckedConfig {
  const { name, schema } = variantOf(config);
  if (checked.has(config)) return config as CheckedConfig;
  const { labels = {}, defaults = {} } = options;
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const result = schema.safeParse({ ...defaults, ...given });
  if (!result.success) throw configError(name, given, result.error.issues, labels);
  const family = familyConfig(name);
  const conflict = family && retentionConflict(family, given, labels);
  if (conflict) {
    const { expected, actual, message } = conflict;
    throw new TitoError("invalid_config", `Config "${name}": ${message}`, {
      details: { variant: name, field: "thinkingRetention", expected, actual },
    });
  }
  const filled = Object.freeze(result.data) as CheckedConfig;
  checked.add(filled);
  return filled;
}
