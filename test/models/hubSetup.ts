import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { FetchModelOptions } from "../../src/models/hub/index.ts";
import type { TitoWarning } from "../../src/warnings.ts";
import { FakeHub } from "../support/fakeHub.ts";
import { ggufBytes } from "../support/writeGguf.ts";

const turns = (calls: string): string =>
  `{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}${calls}<|im_end|>\n{% endfor %}` +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const CALLS =
  "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function.name }}{{ call.function.arguments | tojson }}" +
  "</tool_call>{% endfor %}";
const TOOLS = "{% for tool in tools or [] %}<tool>{{ tool | tojson }}</tool>{% endfor %}";

/** Chat templates by what they have. */
export const templates = { both: TOOLS + turns(CALLS), describe: TOOLS + turns(""), none: turns("") };

/** A small GGUF with a chat template or several by name; about 4 bytes for each value. */
export function modelBytes(template: string | { default: string; tool_use: string }, values = 1000, seed = 1): Buffer {
  const named = typeof template === "string" ? { default: template } : template;
  return ggufBytes({
    metadata: {
      "general.architecture": "qwen3",
      "tokenizer.chat_template": named.default,
      ...("tool_use" in named && { "tokenizer.chat_template.tool_use": named.tool_use }),
    },
    tensors: [
      {
        name: "token_embd.weight",
        dimensions: [values],
        type: "F32",
        values: Float32Array.from({ length: values }, (_, index) => Math.sin(index * seed)),
      },
    ],
  });
}

export const sleepless = { retryDelay: 1, retries: 3 } as const;

/** A hub, an empty cache, and options that lead there; warnings are collected. Gone when the test has ended. */
export async function withHub() {
  const hub = await FakeHub.start();
  const cacheDir = mkdtempSync(join(tmpdir(), "tito-hub-"));
  onTestFinished(async () => {
    await hub[Symbol.asyncDispose]();
    rmSync(cacheDir, { recursive: true, force: true });
  });
  const warnings: TitoWarning[] = [];
  const options = {
    ...sleepless,
    endpoint: hub.endpoint,
    cacheDir,
    token: "",
    offline: false,
    onWarning: (warning: TitoWarning) => warnings.push(warning),
  } satisfies FetchModelOptions;
  return { hub, cacheDir, options, warnings };
}

/** The error's code, message and details, or a failure of the test if there is none. */
export async function failureOf(promise: Promise<unknown>) {
  try {
    await promise;
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: Record<string, unknown> };
    return { code, message, details };
  }
  throw new Error("nothing was thrown");
}
