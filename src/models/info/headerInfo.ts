import { TitoError } from "../../errors.ts";
import { ggufSpecialTokens, ggufTemplates } from "../../template/sources/gguf.ts";
import { chooseConfig } from "../../verify/resolveRenderer.ts";
import type { GgufHeader, GgufValue } from "../gguf/index.ts";
import { chooseModelConfig } from "./chooseModelConfig.ts";
import { openHeader } from "./openModel.ts";
import { templateForTools, templateInfo } from "./templateInfo.ts";
import type { ModelInfo, RendererInfo, TokenizerInfo } from "./types.ts";

type Metadata = ReadonlyMap<string, GgufValue>;

/**
 * What a GGUF's header says.
 *
 * @throws TitoError `template_syntax`, `tokenizer_invalid`
 */
export function headerInfo(header: GgufHeader): ModelInfo {
  const { metadata, tensors } = header;
  const templates = ggufTemplates(metadata);
  const architecture = text(metadata, "general.architecture");
  return {
    type: "model_info",
    ...templateInfo(templateForTools(templates), ggufSpecialTokens(metadata)),
    has_tool_use_template: templates.chatTemplates.has("tool_use"),
    architecture,
    n_params: tensors.reduce((sum, { dimensions }) => sum + dimensions.reduce((product, size) => product * size, 1), 0),
    context_length: number(metadata, `${architecture}.context_length`),
    tokenizer: tokenizerInfo(metadata),
    renderer: rendererInfo(header),
  };
}

function tokenizerInfo(metadata: Metadata): TokenizerInfo {
  const tokens = metadata.get("tokenizer.ggml.tokens");
  const special = ggufSpecialTokens(metadata);
  return {
    model: text(metadata, "tokenizer.ggml.model"),
    pre: text(metadata, "tokenizer.ggml.pre"),
    vocab_size: typeof tokens === "object" && "length" in tokens ? tokens.length : null,
    bos_token: special.get("bos_token") ?? null,
    bos_token_id: number(metadata, "tokenizer.ggml.bos_token_id"),
    eos_token: special.get("eos_token") ?? null,
    eos_token_id: number(metadata, "tokenizer.ggml.eos_token_id"),
  };
}

function rendererInfo(header: GgufHeader): RendererInfo {
  try {
    const { tokenizer, base } = openHeader(header);
    const { config, by } = chooseModelConfig(tokenizer, base);
    const { config: chosen } = chooseConfig(tokenizer, config, {});
    return { family: chosen.name, by: by === "config" ? "default" : by };
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return { family: null, by: null, code: error.code, message: error.message };
  }
}

function text(metadata: Metadata, key: string): string | null {
  const value = metadata.get(key);
  return typeof value === "string" ? value : null;
}

function number(metadata: Metadata, key: string): number | null {
  const value = metadata.get(key);
  return typeof value === "number" ? value : null;
}
