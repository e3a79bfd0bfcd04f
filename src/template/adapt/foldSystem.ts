import { type Content, type ContentPart, contentText } from "../../messages/index.ts";
import type { Note, PlacedMessage } from "./types.ts";

/**
 * A conversation without system (and developer) messages: each goes into the user message that comes next. One that no user
 * message follows goes behind a user message right before it, or becomes a user message.
 */
export function foldSystem(messages: readonly PlacedMessage[], note: Note): PlacedMessage[] {
  const folded: PlacedMessage[] = [];
  const lastUser = messages.findLastIndex(({ message }) => message.role === "user");
  let waiting: Content = null;

  for (const placed of messages) {
    const { role, content = null } = placed.message;
    const told = (what: string) => note(placed.index, "role", "role", `the ${role} message ${what}: no system role`);
    if (role === "user" && waiting !== null) {
      folded.push(withContent(placed, joined(waiting, content)));
      waiting = null;
    } else if (role !== "system" && role !== "developer") {
      folded.push(placed);
    } else if (isEmpty(content)) {
      told("is empty and was left out");
    } else if (placed.index < lastUser) {
      waiting = joined(waiting, content);
      told("was put in front of the next user message");
    } else if (folded.at(-1)?.message.role === "user") {
      const last = folded.pop()!;
      folded.push(withContent(last, joined(last.message.content ?? null, content)));
      told("was put behind the user message before it");
    } else {
      folded.push({ index: placed.index, message: { ...placed.message, role: "user" } });
      told("became a user message");
    }
  }
  return folded;
}

function withContent({ message, index }: PlacedMessage, content: Content): PlacedMessage {
  return { index, message: { ...message, content } };
}

function isEmpty(content: Content): boolean {
  return content === null || content === "" || (Array.isArray(content) && content.length === 0);
}

/** One content behind the other, a blank line between them. */
function joined(before: Content, after: Content): Content {
  if (isEmpty(before)) return after;
  if (isEmpty(after)) return before;
  if (typeof before === "string" && typeof after === "string") return `${before}\n\n${after}`;
  return [...partsOf(before), { type: "text", text: "\n\n" }, ...partsOf(after)];
}

function partsOf(content: Content): readonly ContentPart[] {
  return Array.isArray(content) ? content : [{ type: "text", text: contentText({ content }) }];
}
