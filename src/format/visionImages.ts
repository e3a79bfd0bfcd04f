import { type ImageProcessor, mediaPart } from "../images/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { SpanWriter } from "../tokens/index.ts";
import type { ContentPiece } from "./contentPieces.ts";
import type { BridgeObjection, BridgeView, ImageFormat, WriteContext } from "./family.ts";
import { markers } from "./markers.ts";

/*
 * Images as the templates of Qwen have them, the number only where it is asked for:
 *
 *   Picture {n}: <|vision_start|><|image_pad|>…<|image_pad|><|vision_end|>
 */

export interface VisionImages {
  readonly format: ImageFormat;
  /** A writer of bodies that counts its images; one for each render or bridge. */
  writer(context: WriteContext): (out: SpanWriter, pieces: readonly ContentPiece[]) => void;
  /** Refuses bridges that would have to number images without knowing how many there were. */
  refuse(view: BridgeView): BridgeObjection | null;
}

export interface VisionImagesOptions {
  readonly processor: ImageProcessor;
  /** Number the images of the conversation from 1. */
  readonly numbered: boolean;
}

/** @throws TitoError `token_missing` */
export function visionImages(
  tokenizer: Tokenizer,
  family: string,
  { processor, numbered }: VisionImagesOptions,
): VisionImages {
  const token = markers(tokenizer, family, { start: "<|vision_start|>", end: "<|vision_end|>", pad: "<|image_pad|>" });
  const video = tokenizer.tokenToId("<|video_pad|>");
  return {
    format: { placeholder: token.pad.id, videoPlaceholder: video, processor },
    writer({ images, imagesBefore }) {
      let count = imagesBefore ?? 0;
      return (out, pieces) => {
        for (const piece of pieces) {
          if (typeof piece === "string") {
            out.body(piece);
            continue;
          }
          count++;
          if (numbered) out.scaffold(`Picture ${count}: `);
          out.token(token.start.id).image(token.pad.id, images.resolve(piece.part, piece.at)).token(token.end.id);
        }
      };
    },
    refuse({ conversation, promptIds, completionIds, context }) {
      if (!numbered || context.imagesBefore !== null) return null;
      const places = conversation.messages.some(
        ({ content }) => Array.isArray(content) && content.some((part) => mediaPart(part)?.kind === "image"),
      );
      const hasEarlier = promptIds.includes(token.start.id) || completionIds.includes(token.start.id);
      if (!places || !hasEarlier) return null;
      return {
        reason: "image_numbers_unknown",
        message:
          "Images are numbered through the conversation, and it is not known how many there were: " +
          "pass multimodal, the images of prompt and completion.",
      };
    },
  };
}
