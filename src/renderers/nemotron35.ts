/*
 * Nemotron 3.5: the format of Nemotron 3 Ultra without its hint, and with images in user messages and tool results.
 *
 *   <|im_start|>user⏎{text}<img><image>…<image></img>{text}<|im_end|>⏎
 *   <|im_start|>user⏎<image 1><img><image>…</img><image 2><img><image>…</img>{text}<|im_end|>⏎
 *
 * `<image>` stands as often as the model has tokens for the image. Images of one message are numbered if there are several.
 *
 * Differs from the published template: `<image>` in a text is text, and no place for one of the message's images; images in
 * an assistant's or a system message are refused.
 */
import { type Nemotron35Config, nemotron35Config } from "../configs/index.ts";
import { type ContentPiece, type Family, markers, textMarker, type WriteContext } from "../format/index.ts";
import { mediaPart, nemotronImages } from "../images/index.ts";
import type { Marker } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import { nemotronFormat } from "./nemotron.ts";
import { nemotron3UltraVariant } from "./nemotron3Ultra.ts";

export const nemotron35: Family<Nemotron35Config> = {
  config: nemotron35Config,
  bind(tokenizer, config) {
    const { image } = markers(tokenizer, "nemotron-3.5", { image: "<image>" });
    const open = textMarker(tokenizer, "<img>");
    const close = textMarker(tokenizer, "</img>");

    function writeImages(out: SpanWriter, pieces: readonly ContentPiece[], { images }: WriteContext): void {
      const isNumbered = pieces.filter((piece) => typeof piece !== "string").length > 1;
      let count = 0;
      for (const piece of pieces) {
        if (typeof piece === "string") {
          out.body(piece);
          continue;
        }
        count++;
        if (isNumbered) out.body(`<image ${count}>`);
        writeMarker(out, open).image(image.id, images.resolve(piece.part, piece.at));
        writeMarker(out, close);
      }
    }

    return {
      ...nemotronFormat(tokenizer, config, { ...nemotron3UltraVariant, writeImages }),
      images: { placeholder: image.id, processor: nemotronImages() },
      refuse({ conversation }) {
        const holder = conversation.messages.find(
          ({ content }) => Array.isArray(content) && content.some((part) => mediaPart(part)?.kind === "image"),
        );
        if (!holder) return null;
        const message = `New message ${holder.index} has an image, which this format writes only in a whole conversation. Render the conversation anew.`;
        return { reason: "content_not_rendered", message };
      },
    };
  },
};

/** Spelled with several tokens, it is a part of the body's text. */
function writeMarker(out: SpanWriter, { id, text }: Marker): SpanWriter {
  return id === undefined ? out.body(text) : out.token(id);
}
