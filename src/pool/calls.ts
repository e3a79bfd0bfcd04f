import type { Renderer } from "../renderers/renderer.ts";
import type { Ids } from "../tokenizer/types.ts";

/** The methods that may run in another thread. */
export type Operation = "render" | "renderIds" | "parseResponse" | "bridgeToNextTurn";

/** A call of one of the renderer's methods, as data. */
export interface Call {
  readonly operation: Operation;
  readonly args: readonly unknown[];
  /** About how much work it is, in UTF-16 units of rendered text. See `weight.ts`. */
  readonly weight: number;
  /** Only this thread can do it. */
  readonly stays: boolean;
}

/** What became of a call. */
export type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export function invoke(renderer: Renderer, { operation, args }: Pick<Call, "operation" | "args">): Outcome {
  try {
    const method = renderer[operation] as (...args: readonly unknown[]) => unknown;
    return { ok: true, value: method.apply(renderer, args as unknown[]) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Ids as a typed array, which crosses as one block of memory; a list that holds anything else stays as it is. */
export function packIds<Value extends Ids | object>(ids: Value): Value | Int32Array {
  if (!Array.isArray(ids) || !ids.every((id) => (id | 0) === id)) return ids;
  return Int32Array.from(ids);
}
