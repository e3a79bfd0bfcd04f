/** What a template supports, by llama.cpp's names. */
export interface LlamaCaps {
  readonly supports_tools: boolean;
  readonly supports_tool_calls: boolean;
  readonly supports_system_role: boolean;
  readonly supports_parallel_tool_calls: boolean;
  readonly supports_preserve_reasoning: boolean;
  readonly supports_reasoning_effort: boolean;
  readonly supports_string_content: boolean;
  readonly supports_typed_content: boolean;
  readonly supports_object_arguments: boolean;
}

/** The vocabulary; what is not said is null. */
export interface TokenizerInfo {
  /** `tokenizer.ggml.model`: `"gpt2"` is byte-level BPE, `"llama"` SentencePiece. */
  readonly model: string | null;
  /** `tokenizer.ggml.pre`. */
  readonly pre: string | null;
  readonly vocab_size: number | null;
  readonly bos_token: string | null;
  readonly bos_token_id: number | null;
  readonly eos_token: string | null;
  readonly eos_token_id: number | null;
}

/** The renderer that `createRenderer` makes of the model, and why: the model's name, its template, or neither. */
export type RendererInfo =
  | { readonly family: string; readonly by: "name" | "template" | "default" }
  /** There is none, or it cannot be known yet. */
  | { readonly family: null; readonly by: null; readonly code: string; readonly message: string };

/** What a model is, by its header alone. Names are those of the files and of llama.cpp. */
export interface ModelInfo {
  readonly type: "model_info";
  /** Tools are told to the model, and its calls are written: both of the first two `caps`. */
  readonly supports_tools: boolean;
  /** Of the template for tools if there is one, else of the default, else of plain ChatML, which has no tools. */
  readonly caps: LlamaCaps;
  /** What reads a response with tools; for diagnosis. */
  readonly chat_format: string;
  /** null: not known, because a hub shows the default template only. */
  readonly has_tool_use_template: boolean | null;
  readonly architecture: string | null;
  /** Elements of all tensors. */
  readonly n_params: number | null;
  /** Tokens that the model was trained on at a time. */
  readonly context_length: number | null;
  readonly tokenizer: TokenizerInfo;
  readonly renderer: RendererInfo;
  /** From what a hub says of a model before any download: a hint, because tools may be in a template that it does not show. */
  readonly heuristic?: true;
}
