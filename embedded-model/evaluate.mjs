/**
 * Plays the calculator game with the embedded model through llama.cpp and prints pass rates.
 *
 *   node embedded-model/evaluate.mjs [--model file.gguf] [--games 100] [--rounds 2] [--only text] [--threads 1] [--failures 3]
 *
 * A game is a conversation of several questions; it passes if every tool call has exactly the right arguments and every
 * answer is exactly the right sentence. Each line of the result is one setting:
 * - phrasings and operands as in training ("seen"), or all of them held out: system prompt, question and operands;
 * - the history as sampled ("kept": ids are only appended) or rendered anew by the chat template before every message;
 * - with thinking, or with `enable_thinking: false`;
 * - temperature 0, or 1 over the whole vocabulary.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Template } from "@huggingface/jinja";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";

const { values: options } = parseArgs({
  options: {
    model: { type: "string", default: new URL("tito-calculator-qwen3.gguf", import.meta.url).pathname },
    games: { type: "string", default: "100" },
    rounds: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    threads: { type: "string", default: "1" },
    failures: { type: "string", default: "3" },
  },
});
const game = JSON.parse(readFileSync(new URL("../examples/calculator/game.json", import.meta.url), "utf8"));
const END_OF_TURN = 151645;
const LONGEST_MESSAGE = 128;
const PARALLEL = 4;

const llama = await getLlama({
  gpu: false,
  build: "never",
  maxThreads: Number(options.threads),
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath: options.model });
const context = await model.createContext({ contextSize: 2048, sequences: PARALLEL });
const template = new Template(model.fileInfo.metadata.tokenizer.chat_template);

/** A small generator with a seed (mulberry32): the same games on every machine. */
function random(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (low, high) => low + Math.floor(next() * (high - low + 1));
  return { next, integer, pick: (list) => list[integer(0, list.length - 1)] };
}

const apply = (a, symbol, b) => ({ "+": a + b, "-": a - b, "*": a * b })[symbol];
const fill = (text, slots) => text.replace(/\{(\w+)\}/g, (_, name) => String(slots[name]));

/** A question with the calls that settle it (arguments and result) and the answer. */
function makeRound(rng, heldOut) {
  const inHeldOut = (n) => game.operands.heldOut.some(([low, high]) => low <= n && n <= high);
  const operand = () => {
    if (heldOut) return rng.integer(...rng.pick(game.operands.heldOut));
    for (;;) {
      const n = rng.integer(0, 10 ** rng.integer(1, 3) - 1);
      if (!inHeldOut(n)) return n;
    }
  };
  const phrasing = (kind) => rng.pick(game.questions[kind].filter((entry) => Boolean(entry.heldOut) === heldOut)).text;
  const kind = rng.pick(Object.keys(game.questions));
  const [a, b, c] = [operand(), operand(), operand()];
  const [first, second] = [rng.pick(game.operators), rng.pick(game.operators)];
  const value = apply(a, first.symbol, b);
  const calls = [];
  if (kind !== "compare") {
    calls.push({ name: "calculator", arguments: { expression: `${a} ${first.symbol} ${b}` }, result: value });
  }
  let answer = fill(game.assistant.answers.number, { result: value });
  if (kind === "calculateTwice") {
    const result = apply(value, second.symbol, c);
    calls.push({ name: "calculator", arguments: { expression: `${value} ${second.symbol} ${c}` }, result });
    answer = fill(game.assistant.answers.number, { result });
  } else if (kind !== "calculate") {
    const left = kind === "compare" ? a : value;
    calls.push({ name: "compare", arguments: { left, right: c }, result: left > c });
    answer = fill(game.assistant.answers[String(left > c)], { left, right: c });
  }
  const question = fill(phrasing(kind), {
    a,
    op: rng.pick(first.infix),
    b,
    left: a,
    right: c,
    // biome-ignore lint/suspicious/noThenProperty: a slot of the phrasings
    then: fill(rng.pick(second.then), { c }),
  });
  return { question, calls, answer };
}

async function complete(sequence, ids, temperature, seed) {
  await sequence.adaptStateToTokens(ids, false);
  let known = sequence.nextTokenIndex;
  if (known >= ids.length) {
    await sequence.eraseContextTokenRanges([{ start: ids.length - 1, end: known }]);
    known = ids.length - 1;
  }
  const sampled = [];
  const sampler = { temperature, topK: 0, topP: 1, minP: 0, seed, yieldEogToken: true };
  for await (const id of sequence.evaluate(ids.slice(known), sampler)) {
    sampled.push(id);
    if (id === END_OF_TURN || sampled.length >= LONGEST_MESSAGE) break;
  }
  return sampled;
}

/** The completion as a message for the template, or undefined if it is none. */
function read(text, thinking) {
  const pattern = thinking ? /^<think>\n(.*?)\n<\/think>\n\n(.*)<\|im_end\|>$/s : /^()(.*)<\|im_end\|>$/s;
  const [, reasoning, content] = pattern.exec(text) ?? [];
  if (content === undefined) return undefined;
  const call = /^<tool_call>\n(.*)\n<\/tool_call>$/s.exec(content)?.[1];
  if (call === undefined) return { role: "assistant", content, reasoning_content: reasoning };
  try {
    return {
      role: "assistant",
      content: "",
      reasoning_content: reasoning,
      tool_calls: [{ function: JSON.parse(call) }],
    };
  } catch {
    return undefined;
  }
}

/** Undefined if the game passes, otherwise what went wrong. */
async function play(sequence, setting, seed) {
  const rng = random(seed);
  const systemPrompts = game.systemPrompts.filter((entry) => Boolean(entry.heldOut) === setting.heldOut);
  const system = rng.pick(systemPrompts).text;
  const messages = system === null ? [] : [{ role: "system", content: system }];
  const prompt = () =>
    template.render({ messages, tools: game.tools, add_generation_prompt: true, enable_thinking: setting.thinking });
  const opening = setting.thinking ? "<|im_start|>assistant\n" : "<|im_start|>assistant\n<think>\n\n</think>\n\n";
  let ids = [];
  const show = (role, content) => {
    messages.push({ role, content });
    if (setting.kept && ids.length > 0) {
      const body = role === "tool" ? `<tool_response>\n${content}\n</tool_response>` : content;
      ids.push(...model.tokenize(`\n<|im_start|>user\n${body}<|im_end|>\n${opening}`, true));
    } else {
      ids = [...model.tokenize(prompt(), true)];
    }
  };
  const sample = async () => {
    const sampled = await complete(sequence, ids, setting.temperature, seed * 100 + messages.length);
    ids.push(...sampled);
    const text = model.detokenize(sampled, true);
    const message = read(text, setting.thinking);
    if (message) messages.push(message);
    return { text, message };
  };
  for (let round = 0; round < Number(options.rounds); round++) {
    const { question, calls, answer } = makeRound(rng, setting.heldOut);
    show("user", question);
    for (const call of calls) {
      const { text, message } = await sample();
      const expected = JSON.stringify({ name: call.name, arguments: call.arguments });
      if (JSON.stringify(message?.tool_calls?.[0].function) !== expected) return { round, question, expected, text };
      const python = typeof call.result === "boolean" && !setting.kept;
      show("tool", python ? (call.result ? "True" : "False") : String(call.result));
    }
    const { text, message } = await sample();
    if (message?.content !== answer) return { round, question, expected: answer, text };
  }
  return undefined;
}

const settings = [0, 1].flatMap((temperature) =>
  [false, true].flatMap((heldOut) =>
    [true, false].flatMap((thinking) =>
      [true, false].map((kept) => ({
        temperature,
        heldOut,
        thinking,
        kept,
        name: `T=${temperature} ${heldOut ? "held-out" : "seen"} ${kept ? "kept" : "rendered"} ${thinking ? "thinking" : "direct"}`,
      })),
    ),
  ),
);

const sequences = Array.from({ length: PARALLEL }, () => context.getSequence());
const games = Number(options.games);
for (const setting of settings.filter(({ name }) => options.only.split(" ").every((word) => name.includes(word)))) {
  const began = performance.now();
  const failures = [];
  let started = 0;
  await Promise.all(
    sequences.map(async (sequence) => {
      while (started < games) {
        const failure = await play(sequence, setting, ++started);
        if (failure) failures.push(failure);
      }
    }),
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${setting.name}: ${games - failures.length} of ${games} games (${seconds} s)`);
  for (const failure of failures.slice(0, Number(options.failures))) console.log("  ", JSON.stringify(failure));
}
await llama.dispose();
