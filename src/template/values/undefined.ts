import type { Undefined } from "./scalars.ts";
import { PythonError } from "./types.ts";

/** Most operations on something undefined are errors: this is the error. */
export function refuseUndefined(value: Undefined): never {
  throw new PythonError(value.error, value.message);
}
