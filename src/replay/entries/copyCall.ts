import type { NewCall, StoredCall, StoredTurn } from "../types.ts";

/** A call with ids and bytes of its own. */
export function copyCall(call: NewCall | StoredCall): StoredCall {
  const { name, argumentsText, family, vocabulary } = call;
  return {
    name,
    argumentsText,
    family,
    vocabulary,
    wireId: call.wireId ?? null,
    raw: call.raw ?? null,
    ids: Int32Array.from(call.ids),
    bytes: Uint8Array.from(call.bytes),
    head: call.head ?? 0,
    tail: call.tail ?? 0,
    turn: call.turn ? copyTurn(call.turn) : null,
  };
}

function copyTurn({ key, index, calls, start, completion }: StoredTurn): StoredTurn {
  if (!completion) return { key, index, calls, start, completion: null };
  const { ids, opening, reasoning } = completion;
  const copy = { ids: Int32Array.from(ids), opening: opening && Int32Array.from(opening), reasoning };
  return { key, index, calls, start, completion: copy };
}

/** About what an entry takes, in bytes. */
export function sizeOfCall(id: string, { name, argumentsText, raw, wireId, ids, bytes, turn }: StoredCall): number {
  const texts = [id, name, argumentsText, raw, wireId, turn?.key, turn?.completion?.reasoning];
  const characters = texts.reduce((length, text) => length + (text?.length ?? 0), 0);
  const sampled = ids.length + (turn?.completion?.ids.length ?? 0) + (turn?.completion?.opening?.length ?? 0);
  return ENTRY_BYTES + 2 * characters + 4 * sampled + bytes.length;
}

/** Field names, identities, the map's own. */
const ENTRY_BYTES = 400;
