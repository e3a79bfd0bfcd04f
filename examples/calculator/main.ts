import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createRenderer, loadTokenizer, TitoError } from "tito-rl";
import { loadSampler, type Session } from "tito-rl/sampler";
import { type Played, play } from "../play.ts";
import { subSeed } from "../random.ts";
import { calculator } from "./environment.ts";
import { summary } from "./summary.ts";

const usage = `npm start -- [options]

Plays calculator games on a model through llama.cpp, token in and token out, and compares with the usual way.

  --rollouts N       games to play (16)
  --model FILE       a GGUF model of the Qwen3 family (the embedded one)
  --seed N           the same seed plays the same games (1)
  --json FILE        writes one rollout a line
  --concurrency N    games at the same time (4)
  --threads N        threads that evaluate the model; the embedded one is too small to gain from more (1)
  --temperature T    0 = the likeliest token (1)
  --top-k N          sample from the N likeliest tokens, 0 = from all (64)
  --max-tokens N     tokens of one turn (128)
  --max-length N     tokens of one game (1536)
  --held-out         ask in phrasings that the embedded model was not trained on
  --help`;

interface Settings {
  readonly rollouts: number;
  readonly model: string;
  readonly seed: number;
  readonly json: string | undefined;
  readonly concurrency: number;
  readonly threads: number;
  readonly temperature: number;
  readonly topK: number;
  readonly maxTokens: number;
  readonly maxLength: number;
  readonly heldOut: boolean;
}

function readSettings(args: readonly string[]): Settings | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rollouts: { type: "string", default: "16" },
      model: {
        type: "string",
        default: fileURLToPath(new URL("../../embedded-model/tito-calculator-qwen3.gguf", import.meta.url)),
      },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
      concurrency: { type: "string", default: "4" },
      threads: { type: "string", default: "1" },
      temperature: { type: "string", default: "1" },
      "top-k": { type: "string", default: "64" },
      "max-tokens": { type: "string", default: "128" },
      "max-length": { type: "string", default: "1536" },
      "held-out": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const number = (
    name: "rollouts" | "seed" | "concurrency" | "threads" | "temperature" | "top-k" | "max-tokens" | "max-length",
    least: number,
  ) => {
    const value = Number(values[name]);
    if (!(value >= least) || (name !== "temperature" && !Number.isInteger(value))) {
      throw new TitoError(
        "usage",
        `--${name} takes a ${name === "temperature" ? "number" : "whole number"} from ${least}, not "${values[name]}".`,
      );
    }
    return value;
  };
  return {
    rollouts: number("rollouts", 1),
    model: values.model,
    seed: number("seed", 0),
    json: values.json,
    concurrency: number("concurrency", 1),
    threads: number("threads", 1),
    temperature: number("temperature", 0),
    topK: number("top-k", 0),
    maxTokens: number("max-tokens", 1),
    maxLength: number("max-length", 1),
    heldOut: values["held-out"],
  };
}

async function run(settings: Settings): Promise<void> {
  const began = performance.now();
  const tokenizer = await loadTokenizer(settings.model);
  const renderer = createRenderer(tokenizer, { name: "qwen3", thinkingRetention: "all" });
  const lanes = Math.min(settings.concurrency, settings.rollouts);
  await using sampler = await loadSampler(settings.model, {
    sequences: lanes,
    contextSize: settings.maxLength,
    threads: settings.threads,
  });
  const environment = calculator({ heldOut: settings.heldOut });
  const played: Played[] = [];
  let turns = 0;
  let tokens = 0;
  let next = 0;
  const lane = async (session: Session) => {
    while (next < settings.rollouts) {
      const id = next++;
      const seed = subSeed(settings.seed, id);
      played.push(
        await play({
          id,
          seed,
          renderer,
          session,
          episode: environment.start(seed),
          sampling: { temperature: settings.temperature, topK: settings.topK },
          maxTokens: settings.maxTokens,
          maxSequenceLength: settings.maxLength,
          onTurn: (count) => {
            turns++;
            tokens += count;
            progress(`${played.length}/${settings.rollouts} rollouts, ${turns} turns, ${tokens} tokens`);
          },
        }),
      );
    }
  };
  const sessions = await Promise.all(Array.from({ length: lanes }, () => sampler.session()));
  await Promise.all(sessions.map(lane));
  played.sort((a, b) => a.id - b.id);
  progress("");
  if (settings.json) writeFileSync(settings.json, played.map((one) => `${JSON.stringify(toRecord(one))}\n`).join(""));
  console.log(summary(played, tokenizer, tokenizer.chatTemplate));
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `\n${tokens} tokens sampled in ${seconds.toFixed(1)} s, loading included. "seconds" above is the client's share.`,
  );
}

/** Overwrites the progress line; a terminal only. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function toRecord({ id, seed, reward, rollout }: Played) {
  return {
    id,
    seed,
    reward,
    turns: rollout.turns.map((turn) => ({
      prompt_ids: Array.from(turn.promptIds),
      completion_ids: Array.from(turn.completionIds),
      logprobs: Array.from(turn.logprobs),
      finish: turn.finish,
    })),
    messages: rollout.messages,
    samples: rollout.samples().map((sample) => ({
      token_ids: Array.from(sample.tokenIds),
      loss_mask: Array.from(sample.lossMask),
      logprobs: Array.from(sample.logprobs),
    })),
    breaks: rollout.breaks.map(({ turn, reason }) => ({ turn, reason })),
  };
}

try {
  const settings = readSettings(process.argv.slice(2));
  if (settings) await run(settings);
  else console.log(usage);
} catch (error) {
  const isUsage = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  if (!(error instanceof TitoError) && !isUsage) throw error;
  console.error(`${(error as Error).message}${isUsage || (error as TitoError).code === "usage" ? `\n\n${usage}` : ""}`);
  process.exitCode = 1;
}
