import { type ErrorCode, TitoError } from "../errors.ts";
import { JsonNumber } from "./json/types.ts";

export interface Problem {
  readonly code: ErrorCode;
  /** Index of the message or the tool. */
  readonly index: number;
  /** Full path: `messages[3].tool_calls[0].function.arguments`. */
  readonly field: string;
  readonly expected: string;
  /** The value found there. */
  readonly actual: unknown;
  readonly remedy: string;
}

export function messageError(problem: Problem): TitoError {
  return problemError("message", problem);
}

export function toolError(problem: Omit<Problem, "code">): TitoError {
  return problemError("tool", { code: "invalid_tool", ...problem });
}

function problemError(of: "message" | "tool", { code, index, field, expected, actual, remedy }: Problem): TitoError {
  const found = describe(actual);
  return new TitoError(code, `${field}: expected ${expected}, found ${found}. ${remedy}`, {
    details: { [of]: index, field, expected, actual: found },
  });
}

/** A value in a few words: what it is, and its text if that is short. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") {
    return value.length <= 60
      ? JSON.stringify(value)
      : `${JSON.stringify(value.slice(0, 60))}… (${value.length} units)`;
  }
  if (value instanceof JsonNumber) return `the number ${value.text.slice(0, 60)}`;
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (value instanceof Map) return "a Map";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A plain record, by its outside: neither an array nor a Map. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map);
}
