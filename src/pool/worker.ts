import { parentPort, workerData } from "node:worker_threads";
import { invoke } from "./calls.ts";
import { decodeClone } from "./exactClone.ts";
import { openRenderer } from "./openRenderer.ts";
import { encodeOutcomes, type ThreadData, type ThreadMessage, type WireJob } from "./wire.ts";

const port = parentPort!;
const renderer = await openRenderer(workerData as ThreadData);

port.on("message", ({ operations, args }: WireJob) => {
  const lists = decodeClone(args) as unknown[][];
  const outcomes = operations.map((operation, index) => invoke(renderer, { operation, args: lists[index] }));
  const { wire, transfer } = encodeOutcomes(outcomes);
  port.postMessage({ kind: "done", outcomes: wire } satisfies ThreadMessage, transfer);
});
port.postMessage({ kind: "ready" } satisfies ThreadMessage);
