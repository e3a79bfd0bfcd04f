import type { WireFormat } from "../format/index.ts";
import { mediaPart, unsupportedMedia } from "../images/index.ts";
import type { Message, Validation } from "../messages/index.ts";

/** Video and audio never render, images only where the format takes them. `"template"` lets a template drop what it drops. */
export function checkMedia(
  family: string,
  format: WireFormat,
  messages: readonly Message[],
  validate: Validation,
): void {
  if (validate === "template" && !format.images) return;
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    for (const [place, part] of content.entries()) {
      const at = `messages[${index}].content[${place}]`;
      const media = mediaPart(part, at);
      if (media && (media.kind !== "image" || !format.images)) throw unsupportedMedia(media.kind, family, at);
    }
  }
}
