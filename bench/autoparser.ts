import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { analyze, responseTextParser, type TemplateAnalysis } from "../src/autoparser/index.ts";
import { packageRoot } from "../src/conform/locate.ts";
import type { KnownTool } from "../src/parse/index.ts";
import type { Bench } from "./bench.ts";

const QWEN3 = join(packageRoot(), "embedded-model", "chat_template.jinja");

/** Calls with tagged arguments, whose strings no quote ends. */
const TAGGED =
  "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for t in m.tool_calls or [] %}<tool_call>{{ t.function.name }}\n" +
  "{% for k, v in t.function.arguments.items() %}<arg={{ k }}>{{ v if v is string else v | tojson }}</arg>\n{% endfor %}</tool_call>" +
  "{% endfor %}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";

const ANSWER = 18_000;
const STEP = 4;

const tools = new Map<string, KnownTool>([
  ["write", { name: "write", parameters: { type: "object", properties: { text: { type: "string" } } } }],
]);

/** A template's analysis, and answers of 18 kB in 4-byte steps: against reading all of it anew at every step, as llama.cpp does. */
export async function benchAutoparser(bench: Bench): Promise<void> {
  if (!bench.wantsSome("analysis ")) return;
  const template = readFileSync(QWEN3, "utf8");
  // Told of its renders, an analysis is made anew.
  const fresh = () => analyze(template, { log: () => {} });
  await bench.measure({
    name: "analysis Qwen3, anew",
    run: fresh,
    other: { name: "tito-rl, cached", run: () => analyze(template) },
  });
  const json = analyze(template);
  const tagged = analyze(TAGGED);
  const words = "An answer of some length, with <b>tags</b> and {braces}. ";
  const long = words.repeat(Math.ceil(ANSWER / words.length)).slice(0, ANSWER);
  await benchStream(bench, "content", json, long);
  const escaped = JSON.stringify(long).slice(1, -1);
  await benchStream(
    bench,
    "a JSON argument",
    json,
    `<tool_call>\n{"name": "write", "arguments": {"text": "${escaped}"}}\n</tool_call>`,
  );
  await benchStream(bench, "a tagged argument", tagged, `<tool_call>write\n<arg=text>${long}</arg>\n</tool_call>`);
}

/** The analysis of all real templates, one after another. */
export async function benchRecordedAnalyses(bench: Bench, fixtures: string): Promise<void> {
  const folder = join(fixtures, "templates");
  if (!bench.wantsSome("analysis recorded ") || !existsSync(folder)) return;
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith(".jinja"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const costs = texts.map((text) => {
    analyze(text, { log: () => {} });
    const before = process.cpuUsage();
    analyze(text, { log: () => {} });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  costs.sort((a, b) => a - b);
  const row = { peer: null, peer_name: null, unit: "ms CPU", ratio: null, runs: 1 };
  bench.add({ name: `analysis recorded (${texts.length} templates), median`, ours: costs[costs.length >> 1]!, ...row });
  bench.add({ name: `analysis recorded (${texts.length} templates), slowest`, ours: costs.at(-1)!, ...row });
}

async function benchStream(bench: Bench, what: string, analysis: TemplateAnalysis, text: string): Promise<void> {
  const steps = Math.ceil(text.length / STEP);
  const parserOf = () => responseTextParser(analysis, { generationPrompt: "", tools });
  const stream = () => {
    const parser = parserOf();
    for (let at = 0; at < text.length; at += STEP) parser.push(text.slice(at, at + STEP));
    return parser.end();
  };
  const whole = () => {
    const parser = parserOf();
    parser.push(text);
    return parser.end();
  };
  const anew = () => {
    // A tenth of the steps is enough to tell.
    for (let end = STEP; end <= text.length; end += STEP * 10) {
      const parser = parserOf();
      parser.push(text.slice(0, end));
    }
  };
  await bench.measure({
    name: `analysis stream ${what}, ${steps} steps`,
    run: stream,
    other: { name: "all anew at every tenth step", run: anew },
  });
  await bench.measure({
    name: `analysis parse ${what}, ${Math.round(text.length / 1000)} kB at once`,
    run: whole,
    other: { name: "JSON.parse of as much text", run: () => JSON.parse(JSON.stringify(text)) },
  });
}
