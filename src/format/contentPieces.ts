import { TitoError } from "../errors.ts";
import { mediaPart } from "../images/index.ts";
import type { ConversationMessage } from "../messages/index.ts";

/** Content in order: text, neighbouring parts joined, and images. */
export type ContentPiece = string | ImagePiece;

export interface ImagePiece {
  readonly part: unknown;
  /** Where the part stands, for errors: `messages[2].content[0]`. */
  readonly at: string;
}

/** The text of a part that is neither text nor an image; it throws where the format has none. */
export type OtherPartText = (part: unknown, at: string) => string;

/**
 * The pieces of a message's content; null and missing content has none. A part is text if it is a string or has a string
 * `text`, whatever its type says.
 *
 * `edit` is what the format does to each text by itself, before neighbours are joined.
 *
 * @throws TitoError `unsupported_content` for content that is no text and no list; `invalid_image` as `mediaPart` does
 */
export function contentPieces(
  { content, index }: ConversationMessage,
  otherText: OtherPartText,
  edit: (text: string) => string = (text) => text,
): ContentPiece[] {
  if (typeof content === "string") return [edit(content)].filter((text) => text !== "");
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) throw unsupported(`messages[${index}].content`, "is neither text nor a list of parts");
  const pieces: ContentPiece[] = [];
  content.forEach((part: unknown, place) => {
    const at = `messages[${index}].content[${place}]`;
    const piece = mediaPart(part, at)?.kind === "image" ? { part, at } : edit(textOf(part) ?? otherText(part, at));
    const last = pieces.at(-1);
    if (typeof piece === "string" && typeof last === "string") pieces[pieces.length - 1] = last + piece;
    else if (piece !== "") pieces.push(piece);
  });
  return pieces;
}

/** The same where the format has no place for images. */
export function contentWithoutImages(
  message: ConversationMessage,
  otherText: OtherPartText,
  edit?: (text: string) => string,
): string {
  const pieces = contentPieces(message, otherText, edit);
  const image = pieces.find((piece) => typeof piece !== "string");
  if (image) throw unsupported(image.at, `is an image, and this format has none in a message of the ${message.role}`);
  return pieces.join("");
}

/** The rule of templates that raise on parts which are neither text nor an image. */
export const refusePart: OtherPartText = (_, at) => {
  throw unsupported(at, "is neither text nor an image");
};

/** The rule of templates that drop them. */
export const dropPart: OtherPartText = () => "";

function textOf(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  const text = typeof part === "object" && part !== null ? (part as { readonly text?: unknown }).text : undefined;
  return typeof text === "string" ? text : undefined;
}

function unsupported(at: string, what: string): TitoError {
  return new TitoError("unsupported_content", `${at} ${what}. Pass a string, or parts of text.`, {
    details: { field: at },
  });
}
