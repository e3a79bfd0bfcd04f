import { type Content, contentText, type Message } from "../../messages/index.ts";
import type { TemplateCapabilities } from "../capabilities/types.ts";

/** Content in the form that the template reads; the message itself if it has that form. */
export function adaptContent(
  message: Message,
  { supportsStringContent, supportsTypedContent, requiresNonnullContent }: TemplateCapabilities,
  note: (what: string) => void,
): Message {
  const given = message.content;
  let content = given ?? null;
  if (requiresNonnullContent && content === null) {
    note(`${given === null ? "null" : "no content"} became an empty text, because the template needs a text`);
    content = "";
  }
  if (typeof content === "string" && supportsTypedContent && !supportsStringContent) {
    note("a string became a list of one text part, because the template reads only lists");
    content = [{ type: "text", text: content }];
  } else if (isTextAlone(content) && supportsStringContent && !supportsTypedContent) {
    note("a list of text parts became one string, because the template reads only strings");
    content = contentText({ content });
  }
  return content === (given ?? null) ? message : { ...message, content };
}

function isTextAlone(content: Content): boolean {
  return Array.isArray(content) && content.every((part) => part?.type === "text" && typeof part.text === "string");
}
