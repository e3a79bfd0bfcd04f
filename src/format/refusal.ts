/**
 * Why a bridge was refused:
 * - `empty_prompt`, `no_new_messages`: nothing to bridge from, or to
 * - `assistant_in_new_messages`: rendering it would put the template's bytes where the model's own ids belong
 * - `role_not_rendered`: the format has no place for the role
 * - `unclosed_reasoning`: the model ended its turn inside its reasoning
 * - `new_user_query`: the format drops earlier thinking here, so that the history changes
 * - `template_rewrites_history`: the template changes earlier turns in a way that no bridge can follow
 * - `tokens_after_stop`: ids after the turn's end, which no wire format has
 * - `unresolved_tool_name`: the format writes the name of the tool that answers, and neither the message nor its id tells it
 * - `tool_order_unknown`: the format sorts results by the order of their calls, which a bridge does not read
 * - `turn_not_continued`: the format's last turn goes on only with tool results, or is over for good
 * - `empty_completion`: the format has no turn without a sampled token
 * - `image_numbers_unknown`: the format numbers images, and it is not known how many there were (pass `multimodal`)
 * - `content_not_rendered`: the format cannot write this content in a turn that goes on
 * - `depends_on_history`: the template writes the new text otherwise after other earlier messages, which a bridge does not read
 * - `template_refuses`: the template raises on these messages
 */
export type BridgeRefusalReason =
  | "empty_prompt"
  | "no_new_messages"
  | "assistant_in_new_messages"
  | "role_not_rendered"
  | "unclosed_reasoning"
  | "new_user_query"
  | "template_rewrites_history"
  | "tokens_after_stop"
  | "unresolved_tool_name"
  | "tool_order_unknown"
  | "turn_not_continued"
  | "empty_completion"
  | "image_numbers_unknown"
  | "content_not_rendered"
  | "depends_on_history"
  | "template_refuses";
