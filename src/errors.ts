/** What went wrong, as a value to branch on. The sentence that goes with it says what to do. */
export type ErrorCode =
  // messages and tools
  | "empty_messages"
  | "invalid_message"
  | "unknown_role"
  | "orphan_tool_result"
  | "invalid_arguments"
  | "invalid_tool"
  | "invalid_json"
  | "unsupported_content"
  // tokenizers
  | "tokenizer_unsupported"
  | "tokenizer_invalid"
  | "token_missing"
  | "token_out_of_range"
  | "invalid_range"
  // configs and renderers
  | "invalid_config"
  | "unknown_model"
  | "family_not_available"
  // files and models
  | "file_not_found"
  | "invalid_gguf"
  // the native sampler
  | "sampler_missing"
  | "sampler_option"
  | "model_load_failed"
  | "context_full"
  | "no_sequence_left"
  | "session_ended"
  | "session_busy"
  | "empty_prompt"
  | "sampler_failed"
  | "aborted"
  // rollouts and training samples
  | "rollout_ended"
  | "rollout_order"
  | "invalid_sample"
  // the command line
  | "usage"
  | "fixtures_missing";

/** The only error that this package throws. `message` ends with a remedy; `details` holds what a program needs. */
export class TitoError extends Error {
  override readonly name = "TitoError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
