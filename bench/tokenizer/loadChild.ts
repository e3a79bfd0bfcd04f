// Loads one tokenizer in a fresh process and prints how long that took and what stays resident.
import { loadTokenizer } from "../../src/tokenizer/loaders/files.ts";

const settle = async (): Promise<void> => {
  (globalThis as { gc?: () => void }).gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
};

await settle();
const before = process.memoryUsage.rss();
const start = performance.now();
const tokenizer = await loadTokenizer(process.argv[2]);
const seconds = (performance.now() - start) / 1000;
tokenizer.encode("warm");
const atOnce = process.memoryUsage.rss() - before;
await settle();
console.log(JSON.stringify({ seconds, bytes: process.memoryUsage.rss() - before, atOnce }));
