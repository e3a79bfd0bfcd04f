import type { FamilyConfig } from "./familyConfig.ts";
import type { ThinkingRetention } from "./sharedFields.ts";

export interface RetentionConflict {
  readonly expected: ThinkingRetention;
  readonly actual: ThinkingRetention;
  readonly message: string;
}

/**
 * A knob and an explicit `thinkingRetention`, among the fields that the user gave, that say different things.
 *
 * @param labels field → how the user wrote it, where that is not the field's own name
 */
export function retentionConflict(
  family: FamilyConfig,
  given: Readonly<Record<string, unknown>>,
  labels: Readonly<Record<string, string>> = {},
): RetentionConflict | undefined {
  const explicit = given.thinkingRetention as ThinkingRetention | undefined;
  const implied = family.impliedRetention(given as Parameters<FamilyConfig["impliedRetention"]>[0]);
  if (explicit === undefined || implied === undefined || implied.retention === explicit) return undefined;
  const { knob, retention } = implied;
  return {
    expected: retention,
    actual: explicit,
    message:
      `${labels[knob] ?? knob}: ${JSON.stringify(given[knob])} means thinkingRetention "${retention}", which contradicts ` +
      `the explicit "${explicit}". Leave one of the two out.`,
  };
}
