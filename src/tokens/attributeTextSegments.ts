import type { Tokenizer } from "../tokenizer/types.ts";
import { byteEnds } from "./encode.ts";

export interface TextSegment {
  readonly text: string;
  readonly content: boolean;
}

/**
 * Segments of one text as one BPE pass, with a bit per token: is it content? A token belongs to the segment of its first
 * byte; with `overlapIsContent` it is content if any of its bytes is.
 */
export function attributeTextSegments(
  tokenizer: Tokenizer,
  segments: readonly TextSegment[],
  options: { readonly overlapIsContent?: boolean } = {},
): { readonly tokenIds: Int32Array; readonly contentMask: Uint8Array } {
  const parts = segments.filter((segment) => segment.text !== "");
  const tokenIds = tokenizer.encode(parts.map((part) => part.text).join(""));
  const contentMask = new Uint8Array(tokenIds.length);
  const ends = byteEnds(parts, tokenizer);
  let part = 0;
  let byte = 0;
  tokenIds.forEach((id, i) => {
    while (part < parts.length - 1 && byte >= ends[part]) part++;
    byte += tokenizer.byteLength(id);
    let last = part;
    while (options.overlapIsContent && last < parts.length - 1 && byte > ends[last]) last++;
    contentMask[i] = parts.slice(part, last + 1).some((one) => one.content) ? 1 : 0;
  });
  return { tokenIds, contentMask };
}
