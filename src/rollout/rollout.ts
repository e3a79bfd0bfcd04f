import { TitoError } from "../errors.ts";
import { type ImageStore, type MultimodalData, mergeImageStores } from "../images/index.ts";
import type { Message, ToolSpec } from "../messages/index.ts";
import { type Renderer, type RenderOptions, toOpenAIMessage } from "../renderers/index.ts";
import { historyDifference } from "./historyDifference.ts";
import { type LossOptions, Segment } from "./segment.ts";
import type { Break, Completion, RolloutEnd, TrainingSample, Turn } from "./types.ts";

export interface RolloutOptions {
  readonly renderer: Renderer;
  /** The conversation before the model's first turn. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | null | undefined;
  /** Ids of prompt and completion together. A prompt that leaves no room ends the rollout. Default: no limit. */
  readonly maxSequenceLength?: number | undefined;
  /** Images of the messages that are paths or URLs, as `loadImages` gave them. */
  readonly images?: ImageStore | undefined;
  /** Whether ids that carry no gradient are in the loss, where a completion tells which those are. Default: all are. */
  readonly loss?: LossOptions | undefined;
}

export interface AddMessagesOptions {
  /** Images of the new messages that are paths or URLs. */
  readonly images?: ImageStore | undefined;
}

/**
 * A live conversation, kept as the ids that were sampled. Prompt, completion and messages take turns:
 *
 * @example
 * const rollout = new Rollout({ renderer, messages: [{ role: "user", content: "What is 2 + 3?" }], tools });
 * while (!rollout.end) {
 *   const { ids, logprobs } = await session.complete(rollout.promptIds, { stop: renderer.stopTokenIds });
 *   const turn = rollout.addCompletion({ ids, logprobs });
 *   const results = callTools(turn.message.tool_calls);
 *   if (results.length === 0) break;
 *   rollout.addMessages(results);
 * }
 * train(rollout.samples());
 */
export class Rollout {
  readonly renderer: Renderer;
  readonly tools: readonly ToolSpec[] | undefined;
  readonly #maxSequenceLength: number;
  readonly #loss: LossOptions;
  readonly #messages: Message[];
  readonly #segments: Segment[];
  readonly #turns: Turn[] = [];
  readonly #breaks: Break[] = [];
  #images: ImageStore | undefined;
  /** Where the last completion begins in the current segment; null while a prompt waits for its completion. */
  #completionStart: number | null = null;

  /** @throws whatever `renderer.render` throws for messages that cannot be rendered */
  constructor(options: RolloutOptions) {
    this.renderer = options.renderer;
    this.tools = options.tools ?? undefined;
    this.#maxSequenceLength = options.maxSequenceLength ?? Number.POSITIVE_INFINITY;
    this.#images = options.images;
    this.#loss = options.loss ?? {};
    this.#messages = [...options.messages];
    this.#segments = [this.#renderedSegment()];
  }

  /** Everything said so far, the model's turns as they were parsed. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get breaks(): readonly Break[] {
    return this.#breaks;
  }

  /** The ids to sample from next: a view, nothing is copied. */
  get promptIds(): Int32Array {
    return this.#segment.ids;
  }

  /** The images among `promptIds`, for the engine; undefined where there are none. */
  get multimodal(): MultimodalData | undefined {
    return this.#segment.multimodal;
  }

  /** How many ids may be sampled next. */
  get room(): number {
    return Math.max(0, this.#maxSequenceLength - this.#segment.length);
  }

  /** Set when the prompt leaves no room to sample; what was sampled before stays. */
  get end(): RolloutEnd | null {
    if (this.room > 0 || this.#completionStart !== null) return null;
    return {
      reason: "max_sequence_length",
      promptTokens: this.#segment.length,
      maxSequenceLength: this.#maxSequenceLength,
    };
  }

  /**
   * Takes what was sampled from `promptIds`.
   *
   * @throws TitoError `rollout_ended`, `rollout_order` (no prompt waits), `invalid_sample` (a column of another length)
   */
  addCompletion(completion: Completion): Turn {
    const { end } = this;
    if (end) {
      throw new TitoError(
        "rollout_ended",
        `The prompt has ${end.promptTokens} ids and maxSequenceLength is ${end.maxSequenceLength}: nothing can be sampled. ` +
          "Look at rollout.end before sampling.",
        { details: { ...end } },
      );
    }
    if (this.#completionStart !== null) {
      throw new TitoError("rollout_order", "The last turn has no answer yet: add messages before the next completion.");
    }
    checkColumns(completion);
    const segment = this.#segment;
    const start = segment.length;
    const promptIds = segment.ids;
    segment.appendSampled(completion);
    this.#completionStart = start;
    const completionIds = segment.ids.subarray(start);
    const parsed = this.renderer.parseResponse(completionIds, { prompt: promptIds, tools: this.tools });
    const { message, finishReason } = toOpenAIMessage(parsed, { callId: (i) => `call_${this.#turns.length}_${i}` });
    const turn: Turn = {
      promptIds,
      completionIds,
      logprobs: segment.logprobs(start, segment.length),
      finish: completion.finish ?? finishReason,
      parsed,
      message,
    };
    this.#turns.push(turn);
    this.#messages.push(message);
    return turn;
  }

  /**
   * Goes on with tool results, user turns or notes: bridges, or breaks the sequence where no bridge is possible.
   * Returns the break, if there was one.
   *
   * @throws TitoError `rollout_order` while a prompt waits, `empty_messages`, and whatever `render` throws for the messages
   */
  addMessages(messages: readonly Message[], { images }: AddMessagesOptions = {}): Break | null {
    const start = this.#endOfPrompt();
    if (messages.length === 0) {
      throw new TitoError("empty_messages", "There are no messages to go on with: add what the world answered.");
    }
    this.#keepImages(images);
    const segment = this.#segment;
    const ids = segment.ids;
    const bridge = this.renderer.bridgeToNextTurn({
      promptIds: ids.subarray(0, start),
      completionIds: ids.subarray(start),
      newMessages: messages,
      tools: this.tools,
      images: this.#images,
      multimodal: segment.multimodal ?? null,
    });
    if (!bridge.ok) return this.#renderAnew([...this.#messages, ...messages], bridge);
    const { tokenIds, multimodal } = bridge.extension;
    segment.appendContext(tokenIds, { multimodal, messages: this.#messages.length });
    this.#messages.push(...messages);
    this.#completionStart = null;
    return null;
  }

  /**
   * Goes on with a whole list of messages, as a scaffold keeps it. If it begins with what was sampled and sent, the rest
   * is added; if it tells the past differently, the sequence breaks, because the next prompt holds what no model said.
   *
   * @throws TitoError as `addMessages`
   */
  continueWith(messages: readonly Message[], options: AddMessagesOptions = {}): Break | null {
    this.#endOfPrompt();
    const at = historyDifference(this.#messages, messages);
    if (!at) return this.addMessages(messages.slice(this.#messages.length), options);
    this.#keepImages(options.images);
    return this.#renderAnew(messages, {
      reason: "history_rewritten",
      message: `messages[${at.message}].${at.field} is not what was sampled or sent.`,
      at,
    });
  }

  /** One sample for each unbroken sequence in which something was sampled. */
  samples(): TrainingSample[] {
    return this.#segments.flatMap((segment) => segment.sample() ?? []);
  }

  #keepImages(images: ImageStore | undefined): void {
    if (images) this.#images = this.#images ? mergeImageStores(this.#images, images) : images;
  }

  /** Where the last completion begins in the current segment. */
  #endOfPrompt(): number {
    if (this.#completionStart !== null) return this.#completionStart;
    throw new TitoError("rollout_order", "A prompt waits for its completion: add that before further messages.");
  }

  get #segment(): Segment {
    return this.#segments[this.#segments.length - 1];
  }

  #renderedSegment(): Segment {
    const segment = new Segment(this.#loss);
    const { tokenIds, multimodal } = this.#render(this.#messages, {});
    segment.appendContext(tokenIds, { multimodal, messages: 0 });
    return segment;
  }

  /** Columns are only asked for where there may be images among them. */
  #render(messages: readonly Message[], options: Pick<RenderOptions, "orphanResults">) {
    const all = { tools: this.tools, addGenerationPrompt: true, images: this.#images, ...options };
    if (this.renderer.mmTokenTypes) return this.renderer.render(messages, all);
    return { tokenIds: this.renderer.renderIds(messages, all), multimodal: undefined };
  }

  #renderAnew(messages: readonly Message[], why: Omit<Break, "turn">): Break | null {
    // A call that could not be parsed is not in the messages, but the world may have answered it.
    const { tokenIds: ids, multimodal } = this.#render(messages, { orphanResults: true });
    const segment = this.#segment;
    this.#messages.splice(0, Number.POSITIVE_INFINITY, ...messages);
    this.#completionStart = null;
    if (segment.isPrefixOf(ids)) {
      segment.appendContext(ids.subarray(segment.length), { multimodal: newImages(multimodal, segment), messages: 0 });
      return null;
    }
    const next = new Segment(this.#loss);
    next.appendContext(ids, { multimodal, messages: 0 });
    this.#segments.push(next);
    const { reason, message, at } = why;
    const broken: Break = { turn: this.#turns.length, reason, message, ...(at ? { at } : {}) };
    this.#breaks.push(broken);
    return broken;
  }
}

function checkColumns({ ids, logprobs, greedyMask, forcedMask, insertedMask }: Completion): void {
  for (const [name, column] of Object.entries({ logprobs, greedyMask, forcedMask, insertedMask }))
    if (column && column.length !== ids.length)
      throw new TitoError(
        "invalid_sample",
        `A completion of ${ids.length} ids came with ${column.length} ${name}; give one for each id.`,
        { details: { ids: ids.length, [name]: column.length } },
      );
}

/** Images of a whole render that stand behind a segment's end, with offsets from there. */
function newImages(multimodal: MultimodalData | undefined, { length }: Segment): MultimodalData | undefined {
  const images = multimodal?.images.filter(({ offset }) => offset >= length) ?? [];
  return { images: images.map((image) => ({ ...image, offset: image.offset - length })) };
}
