import type { StoredCall } from "../types.ts";
import { copyCall, sizeOfCall } from "./copyCall.ts";
import type { Entries, EntryLimits } from "./entries.ts";

/** Entries in the order of their last use, which is the order of a map that they are put back into. */
export function memoryEntries({ maxEntries, maxBytes }: EntryLimits): Entries {
  const entries = new Map<string, { readonly call: StoredCall; readonly size: number }>();
  let bytes = 0;

  function remove(id: string): boolean {
    bytes -= entries.get(id)?.size ?? 0;
    return entries.delete(id);
  }

  return {
    get size() {
      return entries.size;
    },
    get bytes() {
      return bytes;
    },
    get(id) {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      entries.delete(id);
      entries.set(id, entry);
      return copyCall(entry.call);
    },
    has: (id) => entries.has(id),
    set(id, call) {
      remove(id);
      const size = sizeOfCall(id, call);
      entries.set(id, { call: copyCall(call), size });
      bytes += size;
      while (entries.size > maxEntries || bytes > maxBytes) remove(entries.keys().next().value!);
    },
    delete: remove,
    clear() {
      entries.clear();
      bytes = 0;
    },
    close() {
      entries.clear();
      bytes = 0;
    },
  };
}
