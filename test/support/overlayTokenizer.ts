import { readFileSync } from "node:fs";
import { fixtureFile, templateFile } from "../../src/conform/locate.ts";
import { overlayTemplates } from "../../src/conform/overlayTemplates.ts";
import { type Tokenizer, tokenizerFromGguf } from "../../src/index.ts";
import { readAddedTokens } from "../../src/tokenizer/index.ts";
import { modelFile } from "./qwen3.ts";

const FIRST_ADDED_ID = 151_643;

/** A family's chat template in the fixtures. */
export const familyTemplate = (fixtures: string, family: string): string =>
  readFileSync(templateFile(fixtures, overlayTemplates[family]!)!, "utf8");

/**
 * The embedded model's vocabulary with the added tokens of a family's recorded tokenizer, and the family's template unless
 * another one is given. Ids are other than the model's own, which does not matter where two renders are compared.
 */
export function overlayTokenizer(fixtures: string, family: string, chatTemplate?: string): Tokenizer {
  const overlay = JSON.parse(readFileSync(fixtureFile(fixtures, "overlays", `${family}.json`)!, "utf8"));
  const addedTokens = readAddedTokens(overlay.added_tokens).map((token, index) => ({
    ...token,
    id: FIRST_ADDED_ID + index,
  }));
  return tokenizerFromGguf(modelFile, {
    nameOrPath: `someone/${family}-tuned`,
    addedTokens,
    eosToken: overlay.eos_token,
    bosToken: overlay.bos_token,
    chatTemplate: chatTemplate ?? familyTemplate(fixtures, family),
  });
}
