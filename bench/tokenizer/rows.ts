// This package's tokenizer against Python `tokenizers` (Rust), each measured in turn so that both see the same machine.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BpeTokenizer } from "../../src/tokenizer/bpe/tokenizer.ts";
import { loadTokenizer } from "../../src/tokenizer/loaders/files.ts";
import { LineProcess } from "./lineProcess.ts";

export interface BenchRow {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peer_name: string;
  readonly unit: "MB/s" | "ms" | "MB";
  /** How many times better ours is for throughput; ours / peer for times and memory. */
  readonly ratio: number;
  readonly runs: number;
}

export interface TokenizerRowsOptions {
  /** Directory with `corpus_english.txt`, `corpus_code.txt`, `corpus_cjk.txt`. */
  readonly workloads: string;
  /** Path of a `tokenizer.json` by name. */
  readonly tokenizers: Readonly<Record<string, string>>;
  /** A Python with the package `tokenizers`. */
  readonly python: string;
  readonly runs?: number;
  /** Characters of each corpus that one run encodes. */
  readonly characters?: number;
}

const PEER = "tokenizers (Rust, Python)";
const here = fileURLToPath(new URL(".", import.meta.url));

/** Measures every tokenizer and returns the rows; times are medians, ratios are medians of the runs' own ratios. */
export async function tokenizerRows(options: TokenizerRowsOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, path] of Object.entries(options.tokenizers)) {
    rows.push(...(await loadRows(name, path, options)));
    rows.push(...(await speedRows(name, path, options)));
  }
  return rows;
}

interface Loaded {
  readonly seconds: number;
  readonly bytes: number;
}

async function loadRows(name: string, path: string, { python, runs = 5 }: TokenizerRowsOptions): Promise<BenchRow[]> {
  const ours: Loaded[] = [];
  const peer: Loaded[] = [];
  for (let run = 0; run < runs; run++) {
    const args = ["--expose-gc", ...process.execArgv, join(here, "loadChild.ts"), path];
    ours.push(JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Loaded);
    await using process_ = new LineProcess(python, [join(here, "peer.py")]);
    peer.push(await process_.ask<Loaded>({ kind: "load", path }));
  }
  const row = (what: string, unit: "ms" | "MB", of: (loaded: Loaded) => number): BenchRow => ({
    name: `${name} ${what}`,
    ours: median(ours.map(of)),
    peer: median(peer.map(of)),
    peer_name: PEER,
    unit,
    ratio: median(ours.map((loaded, run) => of(loaded) / of(peer[run]))),
    runs,
  });
  return [row("load", "ms", ({ seconds }) => seconds * 1e3), row("resident", "MB", ({ bytes }) => bytes / 1e6)];
}

async function speedRows(name: string, path: string, options: TokenizerRowsOptions): Promise<BenchRow[]> {
  const { python, workloads, runs = 9, characters = 200_000 } = options;
  const rows: BenchRow[] = [];
  const tokenizer = (await loadTokenizer(path)) as BpeTokenizer;
  await using peer = new LineProcess(python, [join(here, "peer.py")]);
  await peer.ask({ kind: "load", path });
  const corpora = { prose: "corpus_english.txt", code: "corpus_code.txt", cjk: "corpus_cjk.txt" };
  for (const [corpus, file] of Object.entries(corpora)) {
    const text = readFileSync(join(workloads, file), "utf8").slice(0, characters).toWellFormed();
    const { ids } = await peer.ask<{ ids: number[] }>({ kind: "text", text });
    const expected = Int32Array.from(ids);
    assertSame(tokenizer.encode(text), expected, `${name} ${corpus}`);
    const megabytes = Buffer.byteLength(text) / 1e6;
    const ask = async (kind: string): Promise<number> => (await peer.ask<{ seconds: number }>({ kind })).seconds;
    const measure = async (what: string, kind: string, prepare: () => void, work: () => void): Promise<void> => {
      rows.push(await compare(`${name} ${corpus} ${what}`, megabytes, runs, prepare, work, () => ask(kind)));
    };
    const clear = (): void => tokenizer.clearCache();
    await measure("encode, cache emptied", "encode", clear, () => void tokenizer.encode(text));
    await measure(
      "encode, warm",
      "encode",
      () => {},
      () => void tokenizer.encode(text),
    );
    await measure(
      "decode",
      "decode",
      () => {},
      () => void tokenizer.decode(expected),
    );
  }
  return rows;
}

/** Runs ours a few times beforehand, so that the compiled code is measured, then both in turn. */
async function compare(
  name: string,
  megabytes: number,
  runs: number,
  prepare: () => void,
  work: () => void,
  peer: () => Promise<number>,
): Promise<BenchRow> {
  for (let warmUp = 0; warmUp < 10; warmUp++) {
    prepare();
    work();
  }
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < runs; run++) {
    theirs.push(await peer());
    ours.push(timed(prepare, work));
  }
  return {
    name,
    ours: megabytes / median(ours),
    peer: megabytes / median(theirs),
    peer_name: PEER,
    unit: "MB/s",
    ratio: median(ours.map((seconds, run) => theirs[run] / seconds)),
    runs,
  };
}

/** Seconds of one piece of work, of as many as fill some time: a single one of ours is over before the caches are warm. */
function timed(prepare: () => void, work: () => void): number {
  const seconds: number[] = [];
  for (let total = 0; total < 0.03; total += seconds[seconds.length - 1]) {
    prepare();
    const start = performance.now();
    work();
    seconds.push((performance.now() - start) / 1e3);
  }
  return seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
}

function assertSame(actual: Int32Array, expected: Int32Array, what: string): void {
  if (actual.length !== expected.length || actual.some((id, index) => id !== expected[index])) {
    throw new Error(`${what}: the ids differ from the peer's, so times mean nothing`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
