import type { Message } from "../../messages/index.ts";
import type { TemplateCapabilities } from "../capabilities/types.ts";
import { adaptCalls } from "./adaptCalls.ts";
import { adaptContent } from "./adaptContent.ts";
import { foldSystem } from "./foldSystem.ts";
import { type Adaptation, type AdaptedMessages, adaptations, type MessageChange, type Note } from "./types.ts";

/**
 * The same conversation as a template with these capabilities can write it:
 *
 * - without a system role, system messages go into the next user message, a blank line behind them;
 * - null or missing content becomes `""` where the template fails on it;
 * - content becomes a list of one text part where only parts are read; a list of text parts becomes one string where only
 *   strings are (they are joined without anything between);
 * - arguments in JSON text become an object where objects are read (numbers and the order of keys are kept); objects become
 *   JSON text, as Python prints it, where only texts are.
 *
 * `kinds` leaves some of this out. What none of it fits stays as it is. Adapting twice changes nothing more.
 *
 * @example
 * adaptMessages([{ role: "system", content: "Be brief." }, { role: "user", content: "Hi" }], capabilities(template)).messages;
 * // [{ role: "user", content: "Be brief.\n\nHi" }], if the template has no system role
 */
export function adaptMessages(
  messages: readonly Message[],
  capabilities: TemplateCapabilities,
  kinds: readonly Adaptation[] = adaptations,
): AdaptedMessages {
  const changes: MessageChange[] = [];
  const note: Note = (messageIndex, field, at, what) => {
    changes.push({ messageIndex, field, message: `messages[${messageIndex}].${at}: ${what}` });
  };
  const placed = messages.map((message, index) => ({ message, index }));
  const folds = kinds.includes("system") && !capabilities.supportsSystemRole;
  const folded = folds ? foldSystem(placed, note) : placed;
  const adapted = folded.map(({ message, index }) => {
    const said = kinds.includes("content")
      ? adaptContent(message, capabilities, (what) => note(index, "content", "content", what))
      : message;
    return kinds.includes("arguments")
      ? adaptCalls(said, capabilities, (at, what) => note(index, "tool_calls", at, what))
      : said;
  });
  return {
    messages: changes.length === 0 ? messages : adapted,
    messageIndices: folded.map(({ index }) => index),
    changes,
  };
}
