import { type ErrorCode, TitoError } from "../errors.ts";
import { decodeClone, type Encoded, encodeClone } from "./exactClone.ts";

/** An error as data: `postMessage` would lose its class, code and details. */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Set for a `TitoError`. */
  readonly code?: ErrorCode;
  readonly details?: Encoded;
  readonly cause?: { readonly error: WireError } | { readonly value: Encoded };
}

/** How many causes behind an error go with it. */
const MOST_CAUSES = 8;

export function encodeError(error: unknown, depth = 0): WireError {
  if (!(error instanceof Error)) return encodeError(new Error(String(error)), depth);
  const { name, message, stack } = error;
  const cause = depth < MOST_CAUSES && error.cause !== undefined ? encodeCause(error.cause, depth + 1) : undefined;
  return {
    name,
    message,
    stack,
    ...(error instanceof TitoError ? { code: error.code, details: cloneable(error.details) } : {}),
    ...(cause ? { cause } : {}),
  };
}

function encodeCause(cause: unknown, depth: number): NonNullable<WireError["cause"]> {
  return cause instanceof Error ? { error: encodeError(cause, depth) } : { value: cloneable(cause) };
}

/** A detail that cannot cross is named by its text; losing the error with it would be worse. */
function cloneable(value: unknown): Encoded {
  const whole = encodeClone(value);
  if (whole) return whole;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { value: String(value), hasNumbers: false };
  const fields = Object.entries(value).map(
    ([key, field]) => [key, encodeClone(field) ? field : String(field)] as const,
  );
  return encodeClone(Object.fromEntries(fields)) ?? { value: {}, hasNumbers: false };
}

export function decodeError(wire: WireError): Error {
  const { name, message, stack, code, details, cause } = wire;
  const options = cause ? { cause: "error" in cause ? decodeError(cause.error) : decodeClone(cause.value) } : {};
  const error = code
    ? new TitoError(code, message, {
        ...options,
        ...(details ? { details: decodeClone(details) as Record<string, unknown> } : {}),
      })
    : Object.assign(new Error(message, options), { name });
  if (stack !== undefined) error.stack = stack;
  return error;
}
