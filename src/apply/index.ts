/**
 * One bundle for a request: the prompt, and all that its answer is sampled and read by.
 * @module
 */
export { applyTemplate } from "./applyTemplate.ts";
export { describedTools, genericCalls, withGenericTools } from "./genericTools.ts";
export { type LlamaServerRequest, type LlamaServerTrigger, llamaServerRequest } from "./llamaServerRequest.ts";
export type {
  AppliedTemplate,
  ApplyRequest,
  ChatFormat,
  RequestResponseFormat,
  RequestToolChoice,
} from "./types.ts";
