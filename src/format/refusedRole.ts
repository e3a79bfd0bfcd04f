import { TitoError } from "../errors.ts";
import type { ConversationMessage } from "../messages/index.ts";

/** For templates that raise on a role: the error, returned and not thrown. */
export function unknownRole({ index, role }: ConversationMessage, roles: readonly string[]): TitoError {
  return new TitoError(
    "unknown_role",
    `messages[${index}].role: this model's template raises on "${role}"; it renders ${roles.join(", ")}. Use one of these.`,
    { details: { message: index, field: "role", expected: roles, actual: role } },
  );
}

/** For formats whose only system message is the first one. */
export function misplacedSystem({ index }: ConversationMessage): TitoError {
  return new TitoError(
    "invalid_message",
    `messages[${index}]: this format has a system message only at the beginning. Move its text there, or into a user message.`,
    { details: { message: index, field: "role", expected: "no system message after the first", actual: "system" } },
  );
}

/** For templates that raise where no message starts a user's query. */
export function missingQuery(): TitoError {
  return new TitoError(
    "invalid_message",
    "messages: this model's template raises on a conversation without a user message. Put the user's query before the rest.",
    { details: { message: -1, field: "messages", expected: "a user message", actual: "none" } },
  );
}
