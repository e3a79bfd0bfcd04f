import type { JsonInput } from "./json/index.ts";
import { pythonStr } from "./python/index.ts";
import type { Message } from "./types.ts";

/**
 * A message's text: its content, or its text parts joined without anything between. Other parts are left out, content that
 * is null or missing is `""`, a tool's value that is no text is printed as Python's `str` does (`validate: "template"` lets
 * it pass); where a template treats these differently, look at the content itself.
 */
export function contentText(message: Pick<Message, "content">): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return pythonStr(content as unknown as JsonInput);
  let text = "";
  for (const part of content) if (part?.type === "text" && typeof part.text === "string") text += part.text;
  return text;
}
