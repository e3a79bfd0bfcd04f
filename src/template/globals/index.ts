import type { Value } from "../values/types.ts";
import { cycler } from "./cycler.ts";
import { dict } from "./dict.ts";
import { joiner } from "./joiner.ts";
import { lipsum } from "./lipsum.ts";
import { namespace } from "./namespace.ts";
import { raiseException } from "./raiseException.ts";
import { range } from "./range.ts";
import { strftimeNow } from "./strftime.ts";

export { TemplateRaised } from "./raiseException.ts";
export { strftime } from "./strftime.ts";

/** What a chat template finds besides its context. */
export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["cycler", cycler],
  ["dict", dict],
  ["joiner", joiner],
  ["lipsum", lipsum],
  ["namespace", namespace],
  ["raise_exception", raiseException],
  ["range", range],
  ["strftime_now", strftimeNow],
]);
