import type { RendererConfig } from "../configs/index.ts";
import type { LoadTokenizerOptions, SharedTokenizer } from "../tokenizer/index.ts";
import type { Operation, Outcome } from "./calls.ts";
import { decodeClone, type Encoded, encodeClone } from "./exactClone.ts";
import { decodeError, encodeError, type WireError } from "./wireError.ts";

/** What a thread needs to make its renderer. The config is resolved: no thread decides anything for itself. */
export interface ThreadData {
  readonly config: RendererConfig;
  /** Shared tables, or files for a tokenizer that has none. */
  readonly tokenizer:
    | { readonly kind: "shared"; readonly shared: SharedTokenizer }
    | { readonly kind: "files"; readonly path: string; readonly options: LoadTokenizerOptions };
}

/** A job: calls one after the other. Arguments are encoded together. */
export interface WireJob {
  readonly operations: readonly Operation[];
  readonly args: Encoded;
}

export type WireOutcome =
  | { readonly ok: true; readonly value: Encoded }
  | { readonly ok: false; readonly error: WireError };

/** From a thread: its renderer stands, or what became of its job's calls. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly outcomes: readonly WireOutcome[] };

/** Outcomes as data, and the buffers to transfer. */
export function encodeOutcomes(outcomes: readonly Outcome[]) {
  const transfer = new Set<ArrayBuffer>();
  const wire = outcomes.map((outcome): WireOutcome => {
    if (!outcome.ok) return { ok: false, error: encodeError(outcome.error) };
    for (const { buffer } of columnsOf(outcome.value)) transfer.add(buffer as ArrayBuffer);
    return { ok: true, value: encodeClone(outcome.value) ?? { value: outcome.value, hasNumbers: false } };
  });
  return { wire, transfer: [...transfer] };
}

export function decodeOutcome(outcome: WireOutcome): Outcome {
  return outcome.ok
    ? { ok: true, value: decodeClone(outcome.value) }
    : { ok: false, error: decodeError(outcome.error) };
}

/**
 * The columns of rendered tokens, made for this result alone and therefore free to be moved. Any other array of a result
 * may be a cache's, and is copied.
 */
function columnsOf(value: unknown): ArrayBufferView[] {
  const result = (value ?? {}) as Record<string, unknown>;
  const rendered = (result.extension ?? result) as Record<string, unknown>;
  const candidates = [value, rendered.tokenIds, rendered.messageIndices, rendered.sampledMask, rendered.contentMask];
  return candidates.filter(
    (column): column is ArrayBufferView =>
      ArrayBuffer.isView(column) &&
      column.buffer instanceof ArrayBuffer &&
      column.byteLength === column.buffer.byteLength,
  );
}
