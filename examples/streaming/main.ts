/*
 * Streaming: what a model says is printed as it is sampled, and its calls are made from the bytes between their markers.
 *
 *   npx tsx examples/streaming/main.ts
 *
 * `segmentPolicy` knows the markers of the renderer's format. With tools it holds each call to their schemas from its first marker
 * on (a lazy grammar), and with greedy "syntax" it takes the likeliest id for what is no argument's text, whatever the temperature.
 */
import { createRenderer, loadTokenizer, type Message, Rollout } from "../../src/index.ts";
import { loadSampler, segmentPolicy } from "../../src/sampler/index.ts";
import { runTool, calculatorTools as tools } from "../calculator/environment.ts";
import { embeddedModel } from "../embeddedModel.ts";

export interface StreamingOptions {
  readonly model?: string;
  readonly question?: string;
  readonly write?: (text: string) => void;
}

export async function main({
  model = embeddedModel,
  question = "Is 17 + 25 larger than 40?",
  write = (text) => process.stdout.write(text),
}: StreamingOptions = {}) {
  const renderer = createRenderer(await loadTokenizer(model), { name: "qwen3", thinkingRetention: "all" });
  const rollout = new Rollout({ renderer, tools, messages: [{ role: "user", content: question }] });
  await using sampler = await loadSampler(model, { threads: 1, contextSize: 1024 });
  const session = await sampler.session();
  write(`user: ${question}\n`);

  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const segments = segmentPolicy(renderer, { tools, prompt: rollout.promptIds, greedy: "syntax" });
    const options = { segments, stop: renderer.stopTokenIds, maxTokens: 128, temperature: 0.7, topK: 50, seed };
    const results: string[] = [];
    const show = partWriter(write);
    for await (const event of session.events(rollout.promptIds, options)) {
      if (event.kind === "reasoning" || event.kind === "content") show(event.kind, event.text);
      if (event.kind === "toolCallDelta") show(`call ${event.index}`, event.text);
      if (event.kind === "toolCallEnd" && event.complete) {
        // The grammar has made it JSON.
        const call = JSON.parse(new TextDecoder().decode(event.bytes));
        results.push(runTool({ name: call.name, arguments: JSON.stringify(call.arguments) }));
      }
      if (event.kind === "done") rollout.addCompletion(event.completion);
    }
    const { message } = rollout.turns[rollout.turns.length - 1];
    if (!message.tool_calls) break;
    const answers = message.tool_calls.map(
      ({ id }, i): Message => ({ role: "tool", tool_call_id: id ?? "", content: results[i] }),
    );
    for (const { content } of answers) write(`\nresult: ${content}`);
    rollout.addMessages(answers);
  }
  write("\n");
  return rollout;
}

/** Prints each part of a turn on a line of its own; white space between parts is none. */
function partWriter(write: (text: string) => void) {
  let part = "";
  return (kind: string, text: string) => {
    if (kind !== part && text.trim() === "") return;
    write(`${kind === part ? "" : `\n${kind}: `}${text.replaceAll("\n", " ")}`);
    part = kind;
  };
}

if (process.argv[1] === import.meta.filename) await main();
