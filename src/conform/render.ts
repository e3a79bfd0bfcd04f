import { buildTrainingSample, buildTrajectory, type Renderer, type TrainingSampleOptions } from "../renderers/index.ts";
import { messageTokenSpans, type RenderedTokens } from "../tokens/index.ts";
import { fromBits, fromRunLengths, messagesOf, type RecordedCase, toBits, toolsOf, toRunLengths } from "./cases.ts";
import { equalRows, failed, firstDifference, type Outcome, passed } from "./outcome.ts";

/** Renders a conversation and holds ids, columns and training masks against the recorded ones. */
export function runRender(recorded: RecordedCase, renderer: Renderer): Outcome {
  const { plain } = recorded;
  const messages = messagesOf(recorded);
  const tools = toolsOf(recorded);
  const addGenerationPrompt = Boolean(plain.add_generation_prompt);
  if (plain.error || plain.template_raises) {
    try {
      renderer.render(messages, { tools, addGenerationPrompt });
    } catch (error) {
      return passed("error", { error: String(error) });
    }
    // Where the template renders what the recorded system refuses, the template's ids are right, too.
    if (plain.error && !plain.template_token_ids)
      return failed(`expected an error (${plain.error.type}), got none`, null);
  }
  const rendered = renderer.render(messages, { tools, addGenerationPrompt });
  const actual = renderedFields(rendered);
  const ids = rendered.tokenIds;
  if (!equalRows(ids, renderer.renderIds(messages, { tools, addGenerationPrompt }))) {
    return failed("renderIds differs from render", actual);
  }
  const broken = inconsistency(rendered);
  if (broken) return failed(broken, actual);
  const alternative = alternativeAnswer(plain, ids);
  if (alternative) return passed(alternative, actual);
  if (plain.error) return failed(`neither an error (${plain.error.type}) nor the template's ids`, actual);
  const difference = firstDifference(plain.expect.token_ids, ids);
  if (difference) return failed(`token_ids ${difference}`, actual);
  if (plain.template_first) return failed("the reference's ids where the template has others", actual);

  if (plain.expect.sampled_mask === "") return runWithoutMasks(recorded, renderer, actual);
  const free = prefilledPositions(rendered, renderer, messages, tools);
  const columns: [string, number[], ArrayLike<number>][] = [
    ["message_indices", fromRunLengths(plain.expect.message_indices), rendered.messageIndices],
    [
      "sampled_mask",
      fromBits(plain.expect.sampled_mask),
      without(free, rendered.sampledMask, plain.expect.sampled_mask),
    ],
    ["is_content", fromBits(plain.expect.is_content), without(free, rendered.contentMask, plain.expect.is_content)],
  ];
  for (const [name, expected, got] of columns) {
    const at = expected.length > 0 || name === "message_indices" ? firstDifference(expected, got) : null;
    if (at) return failed(`${name} ${at}`, actual);
  }
  for (const name of ["message_roles", "message_tool_names"] as const) {
    if (JSON.stringify(plain.expect[name]) !== JSON.stringify(actual[name])) return failed(`${name} differ`, actual);
  }
  const trained = trainingDifference(recorded, renderer, free);
  return trained ? failed(trained, actual) : passed("expect", actual);
}

/**
 * The recorded system has no masks here, and gives a message whatever rendering one message more adds at the end: scaffold ahead
 * of the first message is the first one's, and where a template rewrites earlier turns its columns slip against the ids. What
 * can be compared is that, made from our renders.
 */
function runWithoutMasks(
  recorded: RecordedCase,
  renderer: Renderer,
  rendered: ReturnType<typeof renderedFields>,
): Outcome {
  const { expect, train = [], add_generation_prompt } = recorded.plain;
  const messages = messagesOf(recorded);
  const tools = toolsOf(recorded);
  const indices: number[] = [];
  const grow = (length: number, message: number) => indices.push(...new Array(Math.max(0, length)).fill(message));
  let before = 0;
  messages.forEach((_, message) => {
    const { length } = renderer.renderIds(messages.slice(0, message + 1), { tools });
    grow(length - before, message);
    before = length;
  });
  if (add_generation_prompt) grow(rendered.token_ids.length - before, -1);
  const actual = { ...rendered, message_indices: toRunLengths(indices), sampled_mask: "", is_content: "" };
  const at = firstDifference(fromRunLengths(expect.message_indices), indices);
  if (at) return failed(`message_indices by prefixes ${at}`, actual);
  for (const sample of train) {
    const roles = [sample.args.role_to_mask].flat();
    // Without a role it refuses; ours has the masks that it asks for.
    if (sample.error || sample.args.content_sft_roles || sample.args.message_loss_mask) continue;
    const mask = indices.map((message) => Number(roles.includes(messages[message]?.role)));
    const wrong = firstDifference(fromBits(sample.loss_mask).slice(0, mask.length), mask);
    if (wrong) return failed(`train ${JSON.stringify(sample.args)}: ${wrong}`, actual);
  }
  return passed("expect", actual);
}

export function runTrajectory(recorded: RecordedCase, renderer: Renderer): Outcome {
  const { plain } = recorded;
  const { promptIds, completionIds } = buildTrajectory(renderer, {
    promptMessages: messagesOf(recorded, "prompt_messages"),
    completionMessages: messagesOf(recorded, "completion_messages"),
    tools: toolsOf(recorded),
  });
  const actual = { prompt_ids: Array.from(promptIds), completion_ids: Array.from(completionIds) };
  const alternative = alternativeAnswer(plain, [...promptIds, ...completionIds]);
  if (alternative) return passed(alternative, actual);
  const difference =
    firstDifference(plain.expect.prompt_ids, promptIds) ?? firstDifference(plain.expect.completion_ids, completionIds);
  return difference ? failed(difference, actual) : passed("expect", actual);
}

// biome-ignore lint/suspicious/noExplicitAny: see RecordedCase.plain
function alternativeAnswer(plain: any, ids: ArrayLike<number>): string | null {
  if (plain.template_token_ids?.some((row: number[]) => equalRows(row, ids))) return "template_token_ids";
  return plain.onepass_token_ids && equalRows(plain.onepass_token_ids, ids) ? "onepass_token_ids" : null;
}

export function renderedFields(rendered: RenderedTokens) {
  return {
    token_ids: Array.from(rendered.tokenIds),
    message_indices: toRunLengths(rendered.messageIndices),
    sampled_mask: toBits(rendered.sampledMask),
    is_content: toBits(rendered.contentMask),
    message_roles: rendered.messageRoles,
    message_tool_names: rendered.messageToolNames,
  };
}

/** What must hold of columns whatever the ids are. */
function inconsistency(rendered: RenderedTokens): string | null {
  const { tokenIds, messageIndices, sampledMask, contentMask, messageRoles } = rendered;
  for (const column of [messageIndices, sampledMask, contentMask]) {
    if (column.length !== tokenIds.length) return `a column has ${column.length} entries for ${tokenIds.length} ids`;
  }
  for (const [i, message] of messageIndices.entries()) {
    if (message < -1 || message >= messageRoles.length) return `token ${i} belongs to message ${message}`;
    if (sampledMask[i] === 1 && messageRoles[message] !== "assistant")
      return `token ${i} is sampled outside an assistant turn`;
  }
  return null;
}

/**
 * Positions at an assistant turn's start that repeat the generation prompt, and white space after them: the reference
 * calls what the prompt prefills now sampled, now scaffold.
 */
function prefilledPositions(
  rendered: RenderedTokens,
  renderer: Renderer,
  messages: ReturnType<typeof messagesOf>,
  tools: ReturnType<typeof toolsOf>,
): Set<number> {
  const free = new Set<number>();
  const atEnd = thinkingPrompt(renderer, messages, tools);
  messageTokenSpans(rendered).forEach((span, message) => {
    if (!span || rendered.messageRoles[message] !== "assistant") return;
    for (const opening of [atEnd, thinkingPrompt(renderer, messages.slice(0, message), tools)]) {
      if (opening.length === 0) continue;
      let at = span[0];
      while (at < span[1] && rendered.tokenIds[at] === opening[at - span[0]]) free.add(at++);
      while (at < span[1] && renderer.tokenizer.decode([rendered.tokenIds[at]]).trim() === "") free.add(at++);
    }
  });
  return free;
}

/** The generation prompt behind these messages, if it speaks of thinking; empty where they cannot stand alone. */
function thinkingPrompt(
  renderer: Renderer,
  messages: ReturnType<typeof messagesOf>,
  tools: ReturnType<typeof toolsOf>,
): Int32Array {
  try {
    const plain = renderer.renderIds(messages, { tools });
    const opening = renderer.renderIds(messages, { tools, addGenerationPrompt: true }).subarray(plain.length);
    return /think|thought/.test(renderer.tokenizer.decode(opening)) ? opening : new Int32Array(0);
  } catch {
    return new Int32Array(0);
  }
}

/** The mask with the recorded value at the free positions. */
function without(free: ReadonlySet<number>, mask: ArrayLike<number>, recorded: string): number[] {
  return Array.from(mask, (bit, i) => (free.has(i) ? Number(recorded[i]) : bit));
}

function trainingDifference(recorded: RecordedCase, renderer: Renderer, free: ReadonlySet<number>): string | null {
  const { train } = recorded.plain;
  // Cases with images have one sample, with the assistant's turns trained.
  const samples = Array.isArray(train) ? train : train ? [{ args: { role_to_mask: "assistant" }, ...train }] : [];
  for (const sample of samples) {
    const built = buildTrainingSample(renderer, messagesOf(recorded), {
      tools: toolsOf(recorded),
      ...trainingOptions(sample.args),
    });
    const name = `train ${JSON.stringify(sample.args)}`;
    const ids = sample.token_ids ?? [...recorded.plain.expect.token_ids, ...(sample.extra_token_ids ?? [])];
    const at =
      firstDifference(ids, built.tokenIds) ??
      firstDifference(fromBits(sample.loss_mask), without(free, built.lossMask, sample.loss_mask));
    if (at) return `${name}: ${at}`;
  }
  return null;
}

function trainingOptions(args: Record<string, unknown>): TrainingSampleOptions {
  return {
    ...(args.role_to_mask ? { roles: [args.role_to_mask as string] } : {}),
    ...(args.content_sft_roles ? { contentRoles: args.content_sft_roles as string[] } : {}),
    ...(args.ensure_final_stop ? { ensureFinalStop: true } : {}),
    ...(args.message_loss_mask ? { messageLossMask: args.message_loss_mask as (0 | 1)[] } : {}),
  };
}
