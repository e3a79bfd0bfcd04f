import { TitoError } from "../../errors.ts";

export function invalidVocabulary(fact: string): TitoError {
  return new TitoError("tokenizer_invalid", `This is no usable BPE vocabulary: ${fact}. Check the file.`);
}
