import type { Family } from "../format/index.ts";
import { qwen3 } from "./qwen3.ts";

// biome-ignore lint/suspicious/noExplicitAny: a family is only ever bound to a config of its own name
export type AnyFamily = Family<any>;

const all: readonly AnyFamily[] = [qwen3];

/** The families of this package, by name. */
export const families: ReadonlyMap<string, AnyFamily> = new Map(all.map((family) => [family.config.name, family]));

export const familyIsBuilt = (name: string): boolean => families.has(name);
