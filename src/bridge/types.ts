import type { Message, ToolSpec } from "../messages/index.ts";
import type { Ids } from "../tokenizer/types.ts";
import type { RenderedTokens } from "../tokens/index.ts";

/**
 * Why a bridge was refused:
 * - `empty_prompt`, `no_new_messages`: nothing to bridge from, or to
 * - `assistant_in_new_messages`: rendering it would put the template's bytes where the model's own ids belong
 * - `role_not_rendered`: the format has no place for the role
 * - `unclosed_reasoning`: the model ended its turn inside its reasoning
 * - `new_user_query`: the format drops earlier thinking here, so that the history changes
 * - `template_rewrites_history`: the template changes earlier turns in a way that no bridge can follow
 * - `tokens_after_stop`: ids after the turn's end, which no wire format has
 */
export type BridgeRefusalReason =
  | "empty_prompt"
  | "no_new_messages"
  | "assistant_in_new_messages"
  | "role_not_rendered"
  | "unclosed_reasoning"
  | "new_user_query"
  | "template_rewrites_history"
  | "tokens_after_stop";

export interface BridgeRequest {
  /** Ids of the prompt that the completion was sampled from. */
  readonly promptIds: Ids;
  /** The sampled ids, the stop included where one was sampled. */
  readonly completionIds: Ids;
  /** Tool results, user turns, system notes: everything since, but nothing that a model said. */
  readonly newMessages: readonly Message[];
  /** The tools in force; a bridge does not repeat them. */
  readonly tools?: readonly ToolSpec[] | null | undefined;
}

export type BridgeResult =
  | {
      readonly ok: true;
      /**
       * The new ids only: the next prompt is prompt + completion + extension. `messageIndices` count the new messages;
       * nothing in it is sampled.
       */
      readonly extension: RenderedTokens;
      /** Half-open range of the extension's ids that close a turn which the model left open; null when it was closed. */
      readonly synthetic: readonly [start: number, end: number] | null;
    }
  | { readonly ok: false; readonly reason: BridgeRefusalReason; readonly message: string };
