import { familyOfModel } from "../../configs/index.ts";
import { TitoError } from "../../errors.ts";
import { FALLBACK_TEMPLATE } from "../../template/index.ts";
import { type HubOptions, hubModel } from "../hub/index.ts";
import { templateInfo } from "./templateInfo.ts";
import type { ModelInfo, RendererInfo } from "./types.ts";

/**
 * What a hub says of a model before any download: it has read the header of one of the model's GGUF files.
 *
 * @throws TitoError as `hubModel`; `model_file_missing` where the hub knows of no GGUF
 */
export async function hubInfo(id: string, options: HubOptions): Promise<ModelInfo> {
  const { gguf } = await hubModel(id, { ...options, expand: ["gguf"] });
  if (typeof gguf !== "object" || gguf === null) {
    throw new TitoError("model_file_missing", `The hub knows of no GGUF in ${id}. Name a model that has one.`, {
      details: { id },
    });
  }
  const template = text(gguf.chat_template) || FALLBACK_TEMPLATE;
  const bos = text(gguf.bos_token);
  const eos = text(gguf.eos_token);
  const specialTokens = new Map(
    Object.entries({ bos_token: bos, eos_token: eos }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  return {
    type: "model_info",
    ...templateInfo(template, specialTokens),
    has_tool_use_template: null,
    architecture: text(gguf.architecture),
    n_params: count(gguf.total),
    context_length: count(gguf.context_length),
    tokenizer: {
      model: null,
      pre: null,
      vocab_size: null,
      bos_token: bos,
      bos_token_id: null,
      eos_token: eos,
      eos_token_id: null,
    },
    renderer: rendererOf(id),
    heuristic: true,
  };
}

/** A name is all that is known; for a template there has to be a vocabulary. */
function rendererOf(id: string): RendererInfo {
  const family = familyOfModel(id);
  if (family !== undefined) return { family, by: "name" };
  return {
    family: null,
    by: null,
    code: "unknown_model",
    message: `No family is known for the name ${id}; which one renders its template is seen in its file.`,
  };
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

const count = (value: unknown): number | null => (typeof value === "number" ? value : null);
