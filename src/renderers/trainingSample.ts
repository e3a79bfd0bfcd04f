import { TitoError } from "../errors.ts";
import type { ImageStore, MultimodalData } from "../images/index.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import type { Renderer } from "./renderer.ts";

export interface TrainingSampleOptions {
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** Images that are paths or URLs, as `loadImages` gave them. */
  readonly images?: ImageStore | undefined;
  /** Train only on what messages of these roles sampled. Default: everything sampled. */
  readonly roles?: readonly string[] | undefined;
  /** Train also on the bodies of messages of these roles (`["tool"]`), without the scaffold around them. */
  readonly contentRoles?: readonly string[] | undefined;
  /**
   * End a final assistant message with a stop, where the format closes a turn only by the next message's marker. The
   * stop is trained on, and the ids differ from the template's then.
   */
  readonly ensureFinalStop?: boolean | undefined;
  /** One entry per message; what it leaves out is context only. It only restricts. */
  readonly messageLossMask?: readonly (boolean | 0 | 1)[] | undefined;
}

/** Ids and loss mask of one conversation, equally long. */
export interface SupervisedSample {
  readonly tokenIds: Int32Array;
  /** 1 = trained on. */
  readonly lossMask: Uint8Array;
  /** The images among the ids, where there are any. */
  readonly multimodal?: MultimodalData;
}

/**
 * A sample for supervised training from one render.
 *
 * @throws TitoError `invalid_sample` for a `messageLossMask` that does not fit, and whatever `render` throws
 */
export function buildTrainingSample(
  renderer: Renderer,
  messages: readonly Message[],
  options: TrainingSampleOptions = {},
): SupervisedSample {
  const { tools, roles, contentRoles = [], messageLossMask: chosen } = options;
  if (chosen) checkMessageLossMask(chosen, messages.length);
  const rendered = renderer.render(messages, { tools, images: options.images });
  const images = rendered.multimodal ? { multimodal: rendered.multimodal } : {};
  const isTrained = (role: string) => roles === undefined || roles.includes(role);
  const trained = rendered.messageRoles.map(isTrained);
  const byContent = rendered.messageRoles.map((role) => contentRoles.includes(role));

  const lossMask = new Uint8Array(rendered.tokenIds.length);
  rendered.messageIndices.forEach((message, i) => {
    if (message < 0) return;
    if (byContent[message]) lossMask[i] = rendered.contentMask[i];
    else if (trained[message]) lossMask[i] = rendered.sampledMask[i];
  });

  const last = messages.length - 1;
  const needsStop =
    options.ensureFinalStop === true &&
    messages[last].role === "assistant" &&
    trained[last] &&
    !renderer.stopTokenIds.includes(rendered.tokenIds[lossMask.lastIndexOf(1)]);
  const selects = (message: number) => !chosen || (message >= 0 && Boolean(chosen[message]));
  rendered.messageIndices.forEach((message, i) => {
    if (!selects(message)) lossMask[i] = 0;
  });
  if (!needsStop) return { tokenIds: rendered.tokenIds, lossMask, ...images };
  const tokenIds = new Int32Array(rendered.tokenIds.length + 1);
  tokenIds.set(rendered.tokenIds);
  tokenIds[rendered.tokenIds.length] = renderer.stopTokenIds[0];
  const stopMask = new Uint8Array(tokenIds.length);
  stopMask.set(lossMask);
  stopMask[lossMask.length] = selects(last) ? 1 : 0;
  return { tokenIds, lossMask: stopMask, ...images };
}

function checkMessageLossMask(mask: readonly unknown[], messages: number): void {
  const wrong = mask.findIndex((value) => ![true, false, 0, 1].includes(value as never));
  if (mask.length === messages && wrong < 0) return;
  const found = mask.length === messages ? `${JSON.stringify(mask[wrong])} at ${wrong}` : `${mask.length} entries`;
  throw new TitoError(
    "invalid_sample",
    `messageLossMask: expected one boolean (or 0, 1) for each of the ${messages} messages, found ${found}.`,
    { details: { messages, entries: mask.length } },
  );
}
