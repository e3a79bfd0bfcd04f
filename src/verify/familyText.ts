import type { WireFormat, WriteContext } from "../format/index.ts";
import { imageResolver } from "../images/index.ts";
import { normalise } from "../messages/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { SpanWriter } from "../tokens/index.ts";
import type { VerifyProbe } from "./types.ts";

/** The text of a family's spans: texts that differ have other ids, and are found out without encoding any. */
export function familyText(
  format: WireFormat,
  tokenizer: Tokenizer,
  { messages, tools, addGenerationPrompt }: VerifyProbe,
): string {
  const conversation = normalise(messages, { tools: tools.length > 0 ? tools : undefined });
  const context: WriteContext = {
    images: imageResolver({ processor: undefined, store: undefined, cache: undefined }),
    imagesBefore: 0,
    closedBy: undefined,
    response: undefined,
    generates: addGenerationPrompt,
    continuesFinal: false,
  };
  const out = new SpanWriter({ contentSpecials: "text", ordinaryText: format.ordinaryText });
  format.writeOpening(out, conversation, context);
  format.writeMessages(out, conversation, context);
  if (addGenerationPrompt) format.writeGenerationPrompt(out.at(-1), conversation, context);
  return out.spans.map((span) => (span.kind === "text" ? span.text : tokenizer.decode([span.id]))).join("");
}
