import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  type Tokenizer,
  tokenizerFromJson,
  tokenizerFromKimi,
  tokenizerFromSentencePiece,
} from "../../src/tokenizer/index.ts";

interface Case {
  readonly text?: string;
  /** Instead of a text: units and how often each comes; and the ids by number and digest. */
  readonly parts?: readonly (readonly [unit: string, times: number])[];
  readonly count?: number;
  readonly sha256?: string;
  readonly isCut?: boolean;
  readonly ids?: readonly number[];
  /** The ids at the start of a text, with the blank that the tokenizer puts there. */
  readonly start?: readonly number[];
  readonly normalized?: string;
}

type Model = { readonly name: string; readonly cases: readonly Case[] } & (
  | { readonly kind: "sentencepiece" | "kimi"; readonly model: string }
  | { readonly kind: "json"; readonly model: object }
);

function load(model: Model): Tokenizer {
  switch (model.kind) {
    case "sentencepiece":
      return tokenizerFromSentencePiece(Buffer.from(model.model, "base64"));
    case "kimi":
      return tokenizerFromKimi(model.model, {});
    case "json":
      return tokenizerFromJson(model.model);
  }
}

function textOf({ text, parts = [] }: Case): string {
  return text ?? parts.map(([unit, times]) => unit.repeat(times)).join("");
}

/** What is wrong with a case: the name of the first thing that differs. */
function fault(tokenizer: Tokenizer, one: Case): string | undefined {
  const text = textOf(one);
  const ids = tokenizer.encode(text);
  if (one.ids !== undefined && ids.join() !== one.ids.join()) return "ids";
  if (one.sha256 !== undefined) {
    const digest = createHash("sha256").update(ids.join()).digest("hex");
    if (ids.length !== one.count || digest !== one.sha256) return "ids of a long text";
  }
  if (one.start !== undefined && tokenizer.encode(text, { prefixSpace: true }).join() !== one.start.join())
    return "start";
  const normalized = tokenizer.normalize(text);
  if (one.normalized !== undefined && one.normalized.replaceAll("▁", " ") !== normalized) return "normalised text";
  if (tokenizer.decode(ids) !== normalized) return "decoded text";
  let bytes = 0;
  for (const id of ids) bytes += tokenizer.byteLength(id);
  return bytes === Buffer.byteLength(normalized) ? undefined : "byte lengths";
}

function models(jsonl: string): Model[] {
  // Texts hold U+2028, which is no end of line here.
  return jsonl.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Model]));
}

const here = fileURLToPath(new URL(".", import.meta.url));
const python = process.env.TITO_BENCH_PYTHON || undefined;
const canRun =
  python !== undefined && spawnSync(python, ["-c", "import sentencepiece, tiktoken, tokenizers"]).status === 0;

describe.each(models(readFileSync(`${here}data/oracle.jsonl`, "utf8")))("recorded ids of $name ($kind)", (model) => {
  const tokenizer = load(model);

  test("are ours", () => {
    expect(model.cases.length).toBeGreaterThan(20);
    const wrong = model.cases
      .map((one) => [textOf(one).slice(0, 200), fault(tokenizer, one)])
      .filter(([, what]) => what);
    expect(wrong).toEqual([]);
  });
});

test("some long texts are cut where the model's own code cuts them", () => {
  const kimi = models(readFileSync(`${here}data/oracle.jsonl`, "utf8")).find(({ kind }) => kind === "kimi");
  expect(kimi?.cases.filter(({ isCut }) => isCut).length).toBeGreaterThanOrEqual(3);
});

if (!canRun) {
  console.warn(
    "TITO_BENCH_PYTHON names no Python with sentencepiece, tokenizers and tiktoken: only recorded ids are checked.",
  );
}

test.skipIf(!canRun)(
  "newly trained models give the ids of the libraries that define them",
  () => {
    const seed = Math.floor(Math.random() * 1e9);
    const { stdout, stderr, status } = spawnSync(python ?? "", [`${here}oracle.py`, String(seed), "1000"], {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    });
    expect(status, stderr).toBe(0);
    const trained = models(stdout);
    expect(trained).toHaveLength(11);
    const wrong = trained.flatMap((model) => {
      const tokenizer = load(model);
      return model.cases.flatMap((one) => {
        const what = fault(tokenizer, one);
        return what === undefined ? [] : [{ seed, model: model.name, text: textOf(one).slice(0, 200), what }];
      });
    });
    expect(wrong.slice(0, 10)).toEqual([]);
  },
  300_000,
);
