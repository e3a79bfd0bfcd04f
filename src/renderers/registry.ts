import type { RendererConfig } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { qwen3 } from "./qwen3.ts";

// biome-ignore lint/suspicious/noExplicitAny: a family is only ever bound to a config of its own name
type AnyFamily = Family<any>;

const all: readonly AnyFamily[] = [qwen3];

/** The families that are built, by name. */
export const families: ReadonlyMap<RendererConfig["name"], AnyFamily> = new Map(
  all.map((family) => [family.config.name as RendererConfig["name"], family]),
);

export const familyIsBuilt = (name: string): boolean => families.has(name as RendererConfig["name"]);
