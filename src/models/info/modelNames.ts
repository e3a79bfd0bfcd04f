import { familyOfModel } from "../../configs/index.ts";
import type { GgufValue } from "../gguf/index.ts";

/** Names by which a family is known, as a file says them of its model. */
export interface ModelNames {
  /** The model's own. */
  readonly own: string | undefined;
  /** Of the model that it was made from: its template may be another one. */
  readonly base: string | undefined;
}

const OWN = ["general.name", "general.repo_url", "general.source.repo_url", "general.source.huggingface.repository"];
const BASE = /^general\.base_model\.\d+\.(?:repo_url|name)$/;

/** Names are taken where they are to the letter those of a known model: `"Qwen/Qwen3-8B"`, alone or as a repository's URL. */
export function modelNames(metadata: ReadonlyMap<string, GgufValue>): ModelNames {
  const known = (keys: Iterable<string>): string | undefined =>
    Array.from(keys, (key) => repository(metadata.get(key))).find((name) => familyOfModel(name) !== undefined);
  return { own: known(OWN), base: known([...metadata.keys()].filter((key) => BASE.test(key))) };
}

/** A repository's name, also out of its URL. */
function repository(value: GgufValue | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  return /^https?:\/\/[^/]+\/([^/?#]+\/[^/?#]+?)\/?$/.exec(value)?.[1] ?? value;
}
