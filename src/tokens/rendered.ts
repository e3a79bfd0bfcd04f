import type { MultimodalData } from "../images/types.ts";
import type { ReplayReport } from "../replay/types.ts";

/** Ids with one column per fact; all columns have the same length. */
export interface RenderedTokens {
  readonly tokenIds: Int32Array;
  /** Index of the message that a token belongs to, -1 for scaffold of no message. */
  readonly messageIndices: Int32Array;
  /** 1 where the model samples the token (its words and its turn's end), 0 elsewhere. */
  readonly sampledMask: Uint8Array;
  /** 1 where the token is the body of a message, 0 on scaffold; equals `sampledMask` on assistant messages. */
  readonly contentMask: Uint8Array;
  /** Role of each message. */
  readonly messageRoles: readonly string[];
  /** For each tool message the name of the function that it answers, as far as it can be known; null elsewhere. */
  readonly messageToolNames: readonly (string | null)[];
  /** The images, where there are any: hash, message, and range of placeholder tokens of each. */
  readonly multimodal?: MultimodalData;
  /** Which calls hold their sampled ids; set where `replay` was asked for. */
  readonly replay?: ReplayReport;
}

export interface CountOptions {
  /** Count only tokens that the model samples. */
  readonly sampledOnly?: boolean;
}

/** Tokens of each message; index = message. `messages` asks for the first so many. */
export function tokensPerMessage(
  rendered: RenderedTokens,
  options: CountOptions & { readonly messages?: number } = {},
): number[] {
  const counts = new Array<number>(options.messages ?? rendered.messageRoles.length).fill(0);
  const { messageIndices, sampledMask } = rendered;
  for (let i = 0; i < messageIndices.length; i++) {
    const message = messageIndices[i];
    if (message >= 0 && message < counts.length && (!options.sampledOnly || sampledMask[i] === 1)) counts[message]++;
  }
  return counts;
}

/** Half-open token range of each message from its first token to its last; null for a message without tokens. */
export function messageTokenSpans(rendered: RenderedTokens): (readonly [start: number, end: number] | null)[] {
  const spans: ([number, number] | null)[] = rendered.messageRoles.map(() => null);
  for (let i = 0; i < rendered.messageIndices.length; i++) {
    const message = rendered.messageIndices[i];
    if (message < 0) continue;
    const span = spans[message];
    if (span) span[1] = i + 1;
    else spans[message] = [i, i + 1];
  }
  return spans;
}

/** The spans of `messageTokenSpans`, by role. */
export function roleTokenSpans(rendered: RenderedTokens): Record<string, (readonly [start: number, end: number])[]> {
  const byRole: Record<string, (readonly [number, number])[]> = {};
  messageTokenSpans(rendered).forEach((span, message) => {
    if (!span) return;
    const role = rendered.messageRoles[message];
    byRole[role] ??= [];
    byRole[role].push(span);
  });
  return byRole;
}

/** How many tokens each role has. */
export function tokensByRole(rendered: RenderedTokens, options: CountOptions = {}): Record<string, number> {
  const byRole: Record<string, number> = {};
  tokensPerMessage(rendered, options).forEach((count, message) => {
    const role = rendered.messageRoles[message];
    byRole[role] = (byRole[role] ?? 0) + count;
  });
  return byRole;
}
