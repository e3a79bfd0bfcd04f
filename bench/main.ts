import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fixturesFolder } from "../src/conform/locate.ts";
import { benchAutoparser, benchRecordedAnalyses } from "./autoparser.ts";
import { Bench } from "./bench.ts";
import { benchGeneratedBridges, benchRecordedBridges } from "./bridge.ts";
import { benchGeneratedText, benchRecordedText } from "./encode.ts";
import { benchFamilies } from "./families.ts";
import { benchGeneratedParses, benchRecordedParses } from "./parse.ts";
import { Peer } from "./peer.ts";
import { benchPool } from "./pool.ts";
import { benchGeneratedRenders, benchRecordedRenders, LONG_TURNS } from "./render.ts";
import { benchRollout } from "./rollout.ts";
import { benchSampler } from "./sampler.ts";
import { setUp } from "./setting.ts";
import { benchRecordedTemplates, benchTemplates } from "./template.ts";
import { peerPython } from "./venv.ts";
import { embeddedVocabulary, recordedVocabulary } from "./vocabularies.ts";
import { recordedWorkloads } from "./workloads.ts";

const HELP = `npm run bench -- [options]

Measures this package and its peers (renderers, tokenizers, transformers and Jinja2 of Python, @huggingface/jinja) on the
same inputs, in turn, and prints medians and their ratio: how many times better ours is. Recorded inputs come from TITO_FIXTURES or ../shared.

  --json       print {"rows": [...]} and nothing else on standard output
  --smoke      small generated shapes and few runs, without making the virtual environment: does it work at all?
  --only TEXT  only rows whose name contains TEXT
  --runs N     runs of each side (default 15; 3 with --smoke)
  --help       this text

TITO_BENCH_PYTHON names an interpreter that has the peers; otherwise bench/.venv is made with them.`;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    smoke: { type: "boolean", default: false },
    only: { type: "string" },
    runs: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(HELP);
else await main();

async function main(): Promise<void> {
  const { json, smoke, only } = values;
  const runs = Number(values.runs ?? (smoke ? 3 : 15));
  if (!Number.isInteger(runs) || runs < 1) {
    console.error(`--runs ${values.runs}: expected a number of at least 1`);
    process.exitCode = 2;
    return;
  }
  const effort = smoke ? { runs, sampleMs: 2, warmUpMs: 20 } : { runs, sampleMs: 20, warmUpMs: 400 };
  const note = json ? console.error : console.log;
  const scratch = await mkdtemp(join(tmpdir(), "tito-bench-"));
  try {
    const python = peerPython({ mayCreate: !smoke, note });
    await using peer = python ? new Peer(python) : undefined;
    const bench = new Bench({ effort, only, peer, note });
    await generated(bench, scratch, smoke);
    if (!smoke) await recorded(bench, scratch, python);
    if (json) console.log(JSON.stringify({ rows: bench.rows }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function generated(bench: Bench, scratch: string, smoke: boolean): Promise<void> {
  const setting = await setUp(embeddedVocabulary(scratch), "text");
  await benchGeneratedRenders(bench, setting, smoke ? [4] : [4, LONG_TURNS]);
  await benchGeneratedParses(bench, setting, smoke ? [100] : [100, 1800]);
  await benchGeneratedBridges(bench, setting, smoke ? [1000, 8000] : [1000, 8000, 32_000, 128_000]);
  await benchRollout(bench, setting, smoke ? 4 : LONG_TURNS);
  await benchGeneratedText(bench, setting, smoke ? 2000 : 40_000);
  await benchTemplates(bench, smoke ? [3] : [3, 40, 200]);
  await benchAutoparser(bench);
  await benchPool(bench, setting, smoke);
  await benchSampler(bench, smoke);
}

async function recorded(bench: Bench, scratch: string, python: string | undefined): Promise<void> {
  const fixtures = fixturesFolder();
  if (fixtures) await benchRecordedTemplates(bench, fixtures);
  if (fixtures) await benchRecordedAnalyses(bench, fixtures);
  const workloads = fixtures && recordedWorkloads(fixtures);
  if (!workloads) return bench.note("No recorded workloads: set TITO_FIXTURES to the folder that has them.");
  const vocabulary = recordedVocabulary(fixtures, scratch);
  if (!vocabulary)
    return bench.note("No recorded workloads without their vocabulary: npm install in compat brings it.");
  const setting = await setUp(vocabulary, "template");
  await benchRecordedRenders(bench, setting, workloads);
  await benchRecordedParses(bench, setting, workloads);
  await benchRecordedBridges(bench, setting, workloads);
  await benchFamilies(bench, fixtures, scratch, workloads);
  if (python) await benchRecordedText(bench, python, workloads);
}
