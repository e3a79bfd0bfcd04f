import { bindConfig } from "../renderers/bindConfig.ts";
import type { Renderer } from "../renderers/renderer.ts";
import { fromSharedTables } from "../tokenizer/share.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { ThreadData } from "./wire.ts";

/** A thread's renderer. The config has been checked: checking defaults that were filled in would find contradictions. */
export async function openRenderer({ tokenizer: source, config }: ThreadData): Promise<Renderer> {
  const tokenizer = await openTokenizer(source);
  // The calling thread has warned already.
  return bindConfig(tokenizer, config, { onWarning: () => {} });
}

async function openTokenizer(source: ThreadData["tokenizer"]): Promise<Tokenizer> {
  if (source.kind === "shared") return fromSharedTables(source.shared);
  // A thread with shared tables never needs the loaders.
  const { loadTokenizer } = await import("../tokenizer/loaders/files.ts");
  return loadTokenizer(source.path, source.options);
}
