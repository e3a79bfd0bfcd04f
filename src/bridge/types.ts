import type { BridgeRefusalReason } from "../format/index.ts";
import type { ImageStore, MultimodalData } from "../images/index.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { Ids } from "../tokenizer/types.ts";
import type { RenderedTokens } from "../tokens/index.ts";

export interface BridgeRequest {
  /** Ids of the prompt that the completion was sampled from. */
  readonly promptIds: Ids;
  /** The sampled ids, the stop included where one was sampled. */
  readonly completionIds: Ids;
  /** Tool results, user turns, system notes: everything since, but nothing that a model said. */
  readonly newMessages: readonly Message[];
  /** The tools in force; a bridge does not repeat them. */
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** Images of the new messages that are paths or URLs, as `loadImages` gave them. */
  readonly images?: ImageStore | undefined;
  /** The images of prompt + completion, null for none. Only formats that number images need it. */
  readonly multimodal?: MultimodalData | null | undefined;
}

export type BridgeResult =
  | {
      readonly ok: true;
      /**
       * The new ids only: the next prompt is prompt + completion + extension. `messageIndices` count the new messages;
       * nothing in it is sampled.
       */
      readonly extension: RenderedTokens;
      /** Half-open range of the extension's ids that close a turn which the model left open; null when it was closed. */
      readonly synthetic: readonly [start: number, end: number] | null;
    }
  | { readonly ok: false; readonly reason: BridgeRefusalReason; readonly message: string };
