import { TitoError } from "../errors.ts";
import type { Renderer } from "../renderers/renderer.ts";
import type { ChatTemplate, TemplateTrace, TracePiece } from "../template/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { encodeSpans, type RenderedTokens } from "../tokens/index.ts";
import type { MismatchPlace, VerifyMismatch, VerifyProbe } from "./types.ts";

/** Tokens that are shown on each side of a difference. */
const SHOWN = 16;

/**
 * Holds what a renderer gives for a probe against what the template writes, read as one text with every added token matched;
 * null: the ids are equal.
 */
export function compareProbe(
  renderer: Renderer,
  probe: VerifyProbe,
  template: ChatTemplate,
  trace: TemplateTrace,
): VerifyMismatch | null {
  const { tokenizer } = renderer;
  const options = {
    tools: probe.tools.length > 0 ? probe.tools : undefined,
    addGenerationPrompt: probe.addGenerationPrompt,
  };
  const expected = tokenizer.encode(trace.text);
  let actual: Int32Array;
  try {
    actual = renderer.renderIds(probe.messages, options);
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return { kind: "refused", probe, error: { code: error.code, message: error.message } };
  }
  const index = firstDifference(expected, actual);
  if (index < 0) return null;
  const shown = (ids: Int32Array) => tokenizer.decode(ids.subarray(index, index + SHOWN));
  return {
    kind: "ids",
    probe,
    index,
    expected: place(expected, index, tokenizer, () => templateOrigin(trace, template, index, tokenizer)),
    actual: place(actual, index, tokenizer, () => renderedOrigin(renderer.render(probe.messages, options), index)),
    context: {
      before: tokenizer.decode(expected.subarray(Math.max(0, index - SHOWN), index)),
      expected: shown(expected),
      actual: shown(actual),
    },
  };
}

function firstDifference(expected: Int32Array, actual: Int32Array): number {
  const most = Math.max(expected.length, actual.length);
  for (let index = 0; index < most; index++) if (expected[index] !== actual[index]) return index;
  return -1;
}

function place(ids: Int32Array, index: number, tokenizer: Tokenizer, origin: () => string): MismatchPlace {
  const id = ids[index];
  if (id === undefined) return { id: null, text: "", origin: "end of the prompt" };
  return { id, text: tokenizer.decode([id]), origin: origin() };
}

function templateOrigin(trace: TemplateTrace, { source }: ChatTemplate, index: number, tokenizer: Tokenizer): string {
  const spans = trace.pieces.map(
    ({ text }, message) => ({ kind: "text", text, message, sampled: false, content: false, trusted: true }) as const,
  );
  const piece = trace.pieces[encodeSpans(spans, tokenizer).messageIndices[index]!]!;
  const line = source.slice(0, piece.at).split("\n").length;
  const column = piece.at - source.lastIndexOf("\n", piece.at - 1);
  const where = `template line ${line}, column ${column}`;
  return piece.source === null ? where : `${pathText(piece.source)}, printed by ${where}`;
}

/** `messages[1].content`, `tools[0].function.name`. */
function pathText(source: NonNullable<TracePiece["source"]>): string {
  const [variable, ...keys] = source.path();
  const path = keys.map((key) =>
    typeof key === "number" ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
  );
  return `${source.isKey ? "the key of " : ""}${variable}${path.join("")}`;
}

function renderedOrigin(rendered: RenderedTokens, index: number): string {
  const message = rendered.messageIndices[index]!;
  if (message < 0) return "scaffold of no message";
  const kind = rendered.sampledMask[index] ? "sampled" : rendered.contentMask[index] ? "content" : "scaffold";
  return `messages[${message}], ${rendered.messageRoles[message]}, ${kind}`;
}
