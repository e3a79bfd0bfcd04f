import { isRecord, messageError } from "./messageError.ts";
import type { Message } from "./types.ts";

/** @throws TitoError `invalid_message` when a message's content is malformed, or missing where its role needs it. */
export function checkContent(message: Message, index: number, strict: boolean): void {
  const content: unknown = message.content;
  if (typeof content === "string") return;
  const at = `messages[${index}].content`;
  const fail = (field: string, expected: string, actual: unknown, remedy: string) =>
    messageError({ code: "invalid_message", index, field, expected, actual, remedy });
  if (content === undefined || content === null) {
    if (!strict || hasOtherBody(message)) return;
    const remedy =
      message.role === "assistant"
        ? 'Pass "" if the assistant said nothing; only next to reasoning or tool calls may content be left out.'
        : 'Pass "" if there is no text.';
    throw fail(at, "a string or an array of parts", content, remedy);
  }
  if (!Array.isArray(content)) {
    // Templates print a tool's value as Python would; elsewhere they join content to text, which only text allows.
    if (!strict && message.role === "tool") return;
    throw fail(at, "a string, an array of parts or null", content, "Turn the value into text first.");
  }
  if (!strict) return;
  for (let i = 0; i < content.length; i++) {
    const part: unknown = content[i];
    const field = `${at}[${i}]`;
    if (!isRecord(part)) throw fail(field, "an object", part, 'Pass { type: "text", text: "…" }.');
    const { type } = part;
    if (typeof type !== "string")
      throw fail(`${field}.type`, "a string", type, 'Name the part\'s type, such as "text".');
    if ((type === "text" || type === "thinking") && typeof part[type] !== "string") {
      throw fail(`${field}.${type}`, "a string", part[type], "Put the part's text there.");
    }
  }
}

function hasOtherBody(message: Message): boolean {
  if (message.role !== "assistant") return false;
  const reasoning = message.reasoning_content ?? message.reasoning;
  return (message.tool_calls?.length ?? 0) > 0 || (typeof reasoning === "string" && reasoning !== "");
}
