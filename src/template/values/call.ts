import { Undefined } from "./scalars.ts";
import { typeName } from "./typeName.ts";
import { type CallArguments, Callable, Opaque, PythonError, type Runtime, type Value } from "./types.ts";
import { refuseUndefined } from "./undefined.ts";

/** Calls a value of the template. */
export function callValue(runtime: Runtime, callee: Value, args: CallArguments): Value {
  runtime.charge(1);
  if (callee instanceof Callable) return callee.call(runtime, args);
  if (callee instanceof Undefined) refuseUndefined(callee);
  if (callee instanceof Opaque && callee.call) return callee.call(runtime, args);
  throw new PythonError("TypeError", `${typeName(callee)} cannot be called`);
}
