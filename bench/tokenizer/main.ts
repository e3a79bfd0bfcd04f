// npx tsx bench/tokenizer/main.ts --workloads DIR --python PYTHON [--runs N] [--characters N] NAME=tokenizer.json …
import { parseArgs } from "node:util";
import { tokenizerRows } from "./rows.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workloads: { type: "string", default: "../shared/workloads" },
    python: { type: "string", default: "python3" },
    runs: { type: "string", default: "9" },
    characters: { type: "string", default: "200000" },
  },
});
const rows = await tokenizerRows({
  workloads: values.workloads,
  python: values.python,
  runs: Number(values.runs),
  characters: Number(values.characters),
  tokenizers: Object.fromEntries(positionals.map((pair) => pair.split("=", 2) as [string, string])),
});
for (const { name, ours, peer, unit, ratio } of rows) {
  console.log(
    `${name.padEnd(40)} ${ours.toFixed(1).padStart(8)} ${peer.toFixed(1).padStart(8)} ${unit.padEnd(5)} ${ratio.toFixed(2).padStart(7)}x`,
  );
}
