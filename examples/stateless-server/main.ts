/*
 * A stateless chat server: the client sends the whole conversation each time, and the prompt still begins with every id that was
 * prompted and sampled before.
 *
 *   npx tsx examples/stateless-server/main.ts
 *
 * The client drops the thinking, and prints the arguments of calls in its own way. The server gives each call an id, keeps what was
 * sampled under it, and renders a call that comes back with the ids that it had. Without that, the prompt is another one.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createRenderer, loadTokenizer, type Message, ToolCallStore } from "../../src/index.ts";
import { loadSampler } from "../../src/sampler/index.ts";
import { embeddedModel } from "../embeddedModel.ts";
import { converse } from "./client.ts";
import { chatServer, type Exchange } from "./server.ts";

export interface StatelessServerOptions {
  readonly model?: string;
  readonly question?: string;
  readonly print?: (text: string) => void;
}

export interface ServedTurn extends Exchange {
  /** Whether the prompt begins with the last one and its completion: as the server renders it, and without the store. */
  readonly unbroken: boolean;
  readonly unbrokenWithoutReplay: boolean;
}

export async function main(options: StatelessServerOptions = {}) {
  const { model = embeddedModel, question = "Is 17 + 25 larger than 40?", print = console.log } = options;
  const renderer = createRenderer(await loadTokenizer(model), { name: "qwen3" });
  await using sampler = await loadSampler(model, { threads: 1, contextSize: 1024 });
  await using host = await sampler.host();
  await using store = new ToolCallStore();

  const served: ServedTurn[] = [];
  const onExchange = (exchange: Exchange) => {
    const last = served.at(-1);
    const past = last ? [...last.promptIds, ...last.completionIds] : [];
    const anew = renderer.renderIds(exchange.messages, { tools: exchange.tools, addGenerationPrompt: true });
    const unbroken = startsWith(exchange.promptIds, past);
    const unbrokenWithoutReplay = startsWith(anew, past);
    served.push({ ...exchange, unbroken, unbrokenWithoutReplay });
    const { promptIds, completionIds } = exchange;
    print(`prompt of ${promptIds.length} ids, ${completionIds.length} sampled`);
    if (last) print(`  begins with all that came before: ${unbroken}; without the store: ${unbrokenWithoutReplay}`);
  };

  const server = chatServer({ renderer, host, store, onExchange }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const messages: readonly Message[] = await converse(`http://127.0.0.1:${port}`, question);
    print(`${question} ${messages.at(-1)?.content}`);
    return { served, messages };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const startsWith = (ids: Int32Array, past: readonly number[]): boolean => past.every((id, i) => ids[i] === id);

if (process.argv[1] === import.meta.filename) await main();
