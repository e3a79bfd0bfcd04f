import { SHARE_ENV, Worker } from "node:worker_threads";
import type { ThreadData } from "./wire.ts";

/** How a slot gets its thread. */
export type StartThread = () => Worker;

/** Threads of this package's own worker, which stands beside this file: built, or as source. */
export function threadStarter(workerData: ThreadData): StartThread {
  const isSource = import.meta.url.endsWith(".ts");
  const readsSource = "typescript" in process.features && Boolean(process.features.typescript);
  const url = new URL(!isSource ? "./worker.js" : readsSource ? "./worker.ts" : "./sourceWorker.mjs", import.meta.url);
  // The flags of the process are not for its threads: some of them, such as --input-type, keep a thread from starting.
  return () => new Worker(url, { workerData, execArgv: [], env: SHARE_ENV, name: "tito-pool" });
}
