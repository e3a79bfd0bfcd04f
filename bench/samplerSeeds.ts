import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checkSeed, embeddedSetting, randomSetting, seededFormats } from "../test/support/seededCalls.ts";

const MODEL = fileURLToPath(new URL("../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));

/** Samples with many seeds, and throws at the first whose calls do not parse or fit: `npx tsx bench/samplerSeeds.ts 1000`. */
async function main(seeds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tito-seeds-"));
  try {
    for (const format of seededFormats) {
      for (const open of [
        () => randomSetting(join(folder, `${format}.gguf`), format),
        () => embeddedSetting(MODEL, format),
      ]) {
        await using seeded = await open();
        let calls = 0;
        let cut = 0;
        for (let seed = 0; seed < seeds; seed++) {
          const outcome = await checkSeed(seeded, seed);
          calls += outcome.calls;
          cut += outcome.isCut ? 1 : 0;
        }
        console.log(`${seeded.name}: ${seeds} seeds, ${calls} calls, all parse and fit; ${cut} cut short by maxTokens`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main(Number(process.argv[2] ?? 1000));
