import { TitoError } from "../errors.ts";
import type { Ids } from "../tokenizer/types.ts";

/**
 * A copy of the ids as a plain array, every one checked. An id outside the vocabulary must not reach llama.cpp, which answers with
 * no more than "Eval has failed".
 * @internal
 */
export function checkIds(ids: Ids, vocabSize: number, what: string): number[] {
  if (!Array.isArray(ids) && !(ids instanceof Int32Array))
    throw new TitoError("token_out_of_range", `${what} must be token ids: an Int32Array or an array of numbers.`);
  const checked = new Array<number>(ids.length);
  for (let index = 0; index < ids.length; index++) {
    const id: unknown = ids[index];
    if (!isId(id, vocabSize)) {
      const message = `${what}[${index}] is ${String(id)}, and the model's ids are the whole numbers from 0 to ${vocabSize - 1}. Encode with this model's own tokenizer.`;
      throw new TitoError("token_out_of_range", message, { details: { index, id, vocabSize } });
    }
    checked[index] = id;
  }
  return checked;
}

/** The same for ids whose order means nothing. @internal */
export function checkIdSet(ids: Ids, vocabSize: number, what = "stop"): ReadonlySet<number> {
  return new Set(checkIds(ids, vocabSize, what));
}

function isId(id: unknown, vocabSize: number): id is number {
  return typeof id === "number" && Number.isInteger(id) && id >= 0 && id < vocabSize;
}
