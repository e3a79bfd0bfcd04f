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
  // images: not one that can be read; a path or URL not loaded; loading not allowed; loading failed; no rule for the model
  | "invalid_image"
  | "image_not_loaded"
  | "image_load_refused"
  | "image_load_failed"
  | "image_processor_missing"
  | "image_processor_failed"
  // tokenizers
  | "tokenizer_unsupported"
  | "tokenizer_invalid"
  | "token_missing"
  | "token_out_of_range"
  | "invalid_range"
  // configs and renderers
  | "invalid_config"
  | "invalid_state"
  | "unknown_model"
  | "unknown_parser"
  | "family_not_available"
  // chat templates: wrong syntax; Python would raise; the template itself raises; too much work; none of this name; several,
  // none of which is the default; a renderer gives other ids
  | "template_syntax"
  | "template_error"
  | "template_raised"
  | "template_limit"
  | "unknown_template"
  | "template_missing"
  | "template_mismatch"
  // grammars: not GBNF; in another grammar language; more repetitions or nesting than llama.cpp takes; no rule to start from;
  // a rule that is not there; a rule that starts with itself; cannot be built; a schema that no grammar can express; a
  // tool choice that cannot be kept
  | "gbnf_syntax"
  | "gbnf_unsupported"
  | "gbnf_limit"
  | "gbnf_missing_root"
  | "gbnf_undefined_rule"
  | "gbnf_left_recursion"
  | "gbnf_invalid"
  | "schema_unsupported"
  | "tool_choice_unknown"
  // one request by a template: its parts contradict each other; tools for a template or a model that has none
  | "invalid_request"
  | "tools_unsupported"
  // files and models: no file; not a GGUF; a model's URL that cannot be read
  | "file_not_found"
  | "invalid_gguf"
  | "model_unreachable"
  // hubs: a malformed id, revision or file name; gated or private, and no token; 401; 403; 404; 429; 5xx or not reachable; an
  // answer that no hub gives; not in the cache while offline
  | "invalid_hub_name"
  | "hub_gated"
  | "hub_unauthorized"
  | "hub_forbidden"
  | "hub_not_found"
  | "hub_rate_limited"
  | "hub_unavailable"
  | "hub_protocol"
  | "hub_offline"
  // downloads: no file to choose; several, and none of a known quantisation; in parts; the connection broke too often; not what
  // the hub announced; no room; another process holds the file; the cache cannot be written
  | "model_file_missing"
  | "model_ambiguous"
  | "model_split"
  | "download_interrupted"
  | "download_corrupt"
  | "disk_full"
  | "cache_locked"
  | "cache_unusable"
  // the native sampler
  | "sampler_missing"
  | "sampler_option"
  // a lazy grammar that nothing would wake
  | "grammar_without_triggers"
  // markers of segments: a start without an end; one payload marker alone; an empty text; payload's the same as the call's
  | "marker_missing_end"
  | "marker_payload_alone"
  | "marker_empty"
  | "marker_equal"
  | "model_load_failed"
  | "context_full"
  | "no_sequence_left"
  | "session_ended"
  | "session_busy"
  // a host of sequences: no such session; too many callers wait; no such prefix; ids that do not start with their parent's
  | "session_unknown"
  | "queue_full"
  | "prefix_unknown"
  | "parent_mismatch"
  | "empty_prompt"
  | "sampler_failed"
  | "aborted"
  // stores of tool calls: no SQLite, or a file that cannot be opened; the database fails; used after `close`
  | "store_unavailable"
  | "store_failed"
  | "store_closed"
  // rollouts and training samples
  | "rollout_ended"
  | "rollout_order"
  | "invalid_sample"
  // renderer pools: a wrong option; closed; too many wait; a thread died twice under a job; took too long; given back
  | "pool_option"
  | "pool_closed"
  | "pool_queue_full"
  | "pool_slot_crashed"
  | "pool_timeout"
  | "checkout_released"
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
