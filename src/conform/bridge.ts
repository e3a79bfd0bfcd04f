import type { BridgeRequest, BridgeResult } from "../bridge/index.ts";
import type { Renderer } from "../renderers/index.ts";
import { fromBits, fromRunLengths, messagesOf, type RecordedCase, toolsOf } from "./cases.ts";
import { equalRows, failed, firstDifference, type Outcome, passed } from "./outcome.ts";
import { renderedFields } from "./render.ts";

/** Bridges, checks the contract, and holds the result against the recorded one. */
export function runBridge(
  recorded: RecordedCase,
  renderer: Renderer,
  more: Pick<BridgeRequest, "multimodal"> = {},
): Outcome {
  const { plain } = recorded;
  const history: number[] = [...plain.prev_prompt_ids, ...plain.prev_completion_ids];
  const result = renderer.bridgeToNextTurn({
    promptIds: plain.prev_prompt_ids,
    completionIds: plain.prev_completion_ids,
    newMessages: messagesOf(recorded, "new_messages"),
    tools: toolsOf(recorded),
    ...more,
  });
  const actual = bridgeFields(result, history);
  const mayRefuse = plain.expect === null || plain.accept_refusal || plain.reference_breaks_contract || plain.error;
  if (!result.ok) {
    return mayRefuse ? passed(`refused: ${result.reason}`, actual) : failed(`refused: ${result.reason}`, actual);
  }
  if (plain.expect === null || plain.error) return failed("expected a refusal", actual);
  const ids = [...history, ...result.extension.tokenIds];
  if (plain.onepass_token_ids && equalRows(plain.onepass_token_ids, ids)) return passed("onepass_token_ids", actual);
  const difference = firstDifference(plain.expect.token_ids, ids);
  if (!difference) {
    const why = columnDifference(plain, result, history.length);
    return why ? failed(why, actual) : passed("expect", actual);
  }
  if (plain.reference_breaks_contract && endsAlike(plain.expect.token_ids, result, renderer)) {
    return passed("contract kept", actual);
  }
  if (result.synthetic && sameButClose(plain.expect.token_ids, history, result, renderer)) {
    return passed("close as the format has it", actual);
  }
  return failed(`token_ids ${difference}`, actual);
}

// biome-ignore lint/suspicious/noExplicitAny: see RecordedCase.plain
function columnDifference(plain: any, result: BridgeResult & { ok: true }, history: number): string | null {
  const { extension } = result;
  const after = (values: number[]) => values.slice(history);
  const at =
    firstDifference(after(fromRunLengths(plain.expect.message_indices)), extension.messageIndices) ??
    (plain.expect.is_content
      ? firstDifference(after(fromBits(plain.expect.is_content)), extension.contentMask)
      : null) ??
    (extension.sampledMask.includes(1) ? "a bridge holds sampled tokens" : null);
  return at && `columns ${at}`;
}

/** The recorded answer, which dropped sampled tokens, ends with the same new turns and generation prompt. */
function endsAlike(
  expected: readonly number[],
  { extension, synthetic }: BridgeResult & { ok: true },
  { tokenizer }: Renderer,
): boolean {
  const text = tokenizer.decode(extension.tokenIds.subarray(synthetic?.[1]));
  return tokenizer.decode([...expected]).endsWith(text.trimStart());
}

/** Equal but for white space within the synthesised close. */
function sameButClose(
  expected: readonly number[],
  history: readonly number[],
  result: BridgeResult & { ok: true },
  { tokenizer }: Renderer,
): boolean {
  const ours = result.extension.tokenIds.subarray(result.synthetic?.[1]);
  const theirs = expected.slice(history.length);
  const close = theirs.slice(0, theirs.length - ours.length);
  const squeeze = (ids: ArrayLike<number>) => tokenizer.decode(Array.from(ids)).replace(/\s/g, "");
  return (
    equalRows(expected.slice(0, history.length), history) &&
    equalRows(theirs.slice(close.length), ours) &&
    squeeze(close) === squeeze(result.extension.tokenIds.subarray(0, result.synthetic?.[1]))
  );
}

function bridgeFields(result: BridgeResult, history: readonly number[]) {
  if (!result.ok) return { refused: true, reason: result.reason };
  const fields = renderedFields(result.extension);
  const zeros = "0".repeat(history.length);
  return {
    ...fields,
    token_ids: [...history, ...fields.token_ids],
    message_indices: [...(history.length > 0 ? [[-1, history.length]] : []), ...fields.message_indices],
    sampled_mask: zeros + fields.sampled_mask,
    is_content: zeros + fields.is_content,
  };
}
