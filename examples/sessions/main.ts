/*
 * Sessions: a prefix that is evaluated once, a group of completions of one prompt, and a conversation that goes on by ids.
 *
 *   npx tsx examples/sessions/main.ts
 *
 * `evaluatedTokens` is what the native side counted: the ids of a prompt that nobody had evaluated before.
 */
import { createRenderer, loadTokenizer, type Message, toOpenAIMessage } from "../../src/index.ts";
import { loadSampler } from "../../src/sampler/index.ts";
import { runTool, calculatorTools as tools } from "../calculator/environment.ts";
import { embeddedModel } from "../embeddedModel.ts";

export interface SessionsOptions {
  readonly model?: string;
  readonly members?: number;
  readonly print?: (text: string) => void;
}

export async function main({ model = embeddedModel, members = 4, print = console.log }: SessionsOptions = {}) {
  const renderer = createRenderer(await loadTokenizer(model), { name: "qwen3", thinkingRetention: "all" });
  await using sampler = await loadSampler(model, { threads: 1, contextSize: 1024, sequences: 2 });
  await using host = await sampler.host();
  const sampling = { stop: renderer.stopTokenIds, maxTokens: 96, topK: 50 };

  // What every conversation with these tools begins with, to the id: what follows is a control token.
  const system: Message = { role: "system", content: "Use the tools to solve the task." };
  const prefix = await host.prefillOnly(renderer.renderIds([system], { tools }));
  print(`prefix: ${prefix.length} ids, ${prefix.evaluatedTokens} evaluated`);

  const question: Message = { role: "user", content: "What is 17 + 25?" };
  const prompt = renderer.renderIds([system, question], { tools, addGenerationPrompt: true });
  const group: { readonly index: number; readonly evaluatedTokens: number; readonly text: string }[] = [];
  for await (const { index, ids, evaluatedTokens } of host.group(prompt, members, { ...sampling, seed: 7 })) {
    group.push({ index, evaluatedTokens, text: renderer.tokenizer.decode(ids) });
  }
  print(`group: ${members} completions of a prompt of ${prompt.length} ids`);
  for (const { index, evaluatedTokens, text } of group)
    print(`  ${index}: ${evaluatedTokens} evaluated, ${JSON.stringify(text)}`);

  // A session stays on its sequence: each turn costs its new ids, and the sampled ones are kept as they are.
  await using session = await host.open({ parent: prefix.prefixId });
  const { sessionId } = session;
  const turns: {
    readonly promptIds: Int32Array;
    readonly completionIds: Int32Array;
    readonly evaluatedTokens: number;
  }[] = [];
  let extension: Int32Array = prompt.slice(prefix.length);
  for (let turn = 0; turn < 4; turn++) {
    const promptIds = Int32Array.of(...session.ids, ...extension);
    const completion = await host.continue(sessionId, extension, { ...sampling, temperature: 0 });
    const { ids: completionIds, evaluatedTokens } = completion;
    turns.push({ promptIds, completionIds, evaluatedTokens });
    print(`turn ${turn}: prompt of ${promptIds.length} ids, ${evaluatedTokens} evaluated`);
    const { message } = toOpenAIMessage(renderer.parseResponse(completionIds, { prompt: promptIds, tools }));
    if (!message.tool_calls) {
      print(`  ${message.content}`);
      break;
    }
    const newMessages = message.tool_calls.map(
      ({ id, function: call }): Message => ({ role: "tool", tool_call_id: id ?? "", content: runTool(call) }),
    );
    const bridge = renderer.bridgeToNextTurn({ promptIds, completionIds, newMessages, tools });
    if (!bridge.ok) throw new Error(bridge.message);
    extension = bridge.extension.tokenIds;
  }
  return { prefix, prompt, group, turns, ids: session.ids };
}

if (process.argv[1] === import.meta.filename) await main();
