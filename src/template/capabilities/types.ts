/** What a chat template does with a conversation, found by rendering small ones and looking at where the output comes from. */
export interface TemplateCapabilities {
  /** Tools are told to the model: the name of a tool in `tools` is written. */
  readonly supportsTools: boolean;
  /** An assistant's `tool_calls` are written. */
  readonly supportsToolCalls: boolean;
  /** The second call of an assistant's message is written, too. */
  readonly supportsParallelToolCalls: boolean;
  /** A call's `arguments` may be an object, and are written as the format has them and not as a Python dict. */
  readonly supportsObjectArguments: boolean;
  /** The content of a `system` message is written. */
  readonly supportsSystemRole: boolean;
  /** Content may be a string. */
  readonly supportsStringContent: boolean;
  /** Content may be a list of parts: the text of a text part is written by itself. */
  readonly supportsTypedContent: boolean;
  /** `reasoning_content` of an earlier turn is written, if the template is asked to keep it (`preserve_thinking` and its like). */
  readonly supportsPreserveReasoning: boolean;
  /** The variable `reasoning_effort` (or `reasoning_strength`) changes what is written. */
  readonly supportsReasoningEffort: boolean;
  /** Null as an assistant's content beside calls is an error, is written ("None", "null") or loses the calls; an empty text is not. */
  readonly requiresNonnullContent: boolean;
}
