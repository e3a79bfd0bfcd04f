import { fileURLToPath } from "node:url";
import { createRenderer, loadTokenizer, type Qwen3ConfigInput, type Renderer } from "../../src/index.ts";

/** The embedded model: its vocabulary and markers are the real ones of Qwen3. */
export const modelFile = fileURLToPath(new URL("../../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));

export const tokenizer = await loadTokenizer(modelFile);

export const qwen3 = (config: Omit<Qwen3ConfigInput, "name"> = {}): Renderer =>
  createRenderer(tokenizer, { name: "qwen3", ...config });

/** Ids of text as a template's output is read. */
export const ids = (text: string): Int32Array => tokenizer.encode(text);

export const calculator = {
  type: "function",
  function: {
    name: "calculator",
    description: "Evaluates an expression.",
    parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  },
} as const;

/** A call as Qwen3 writes it. */
export const call = (name: string, args: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
