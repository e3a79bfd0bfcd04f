import type { ImageProcessor, MultimodalData } from "../images/index.ts";
import { joinMultimodal, mmTokenTypeIds } from "../images/index.ts";
import type { Renderer } from "../renderers/index.ts";
import { runBridge } from "./bridge.ts";
import { fromRunLengths, messagesOf, type RecordedCase, toolsOf } from "./cases.ts";
import { failed, firstDifference, type Outcome, passed } from "./outcome.ts";
import { runRender } from "./render.ts";

/** How many tokens each recorded stand-in of an image processor has for an image. */
const sizes: Readonly<Record<string, (width: number, height: number) => { tokens: number; grid?: number[] }>> = {
  qwen: (width, height) => {
    const [rows, columns] = [Math.ceil(height / 32), Math.ceil(width / 32)];
    return { tokens: rows * columns, grid: [1, 2 * rows, 2 * columns] };
  },
  gemma: (width, height) => ({ tokens: Math.ceil(height / 48) * Math.ceil(width / 48) }),
  nemotron: (width, height) => ({ tokens: Math.ceil(height / 32) * Math.ceil(width / 32) }),
  inkling: (width, height) => ({ tokens: Math.ceil(height / 40) * (Math.floor(width / 40) + 1) }),
  kimi: () => ({ tokens: 1 }),
};

export function recordedProcessor(name: string): ImageProcessor {
  return { name, process: ({ width, height }) => sizes[name](width, height) };
}

/** Renders a conversation with images, then bridges it, and holds ids, hashes and ranges against the recorded ones. */
export function runImages(recorded: RecordedCase, renderer: Renderer): Outcome {
  const { plain } = recorded;
  const rendering = runRender(recorded, renderer);
  if (rendering.outcome !== "passed" || plain.error) return rendering;
  const rendered = renderer.render(messagesOf(recorded), {
    tools: toolsOf(recorded),
    addGenerationPrompt: Boolean(plain.add_generation_prompt),
  });
  const why = imagesDifference(plain.expect.multi_modal_data, rendered.multimodal);
  if (why) return failed(why, rendering.actual);
  const types = plain.train?.mm_token_type_ids;
  const difference = types && firstDifference(fromRunLengths(types), mmTokenTypeIds(rendered));
  if (difference) return failed(`mm_token_type_ids ${difference}`, rendering.actual);
  return plain.bridge ? bridgeImages(recorded, renderer, rendered.tokenIds, rendered.multimodal) : rendering;
}

function bridgeImages(
  recorded: RecordedCase,
  renderer: Renderer,
  promptIds: Int32Array,
  multimodal: MultimodalData | undefined,
): Outcome {
  const { bridge } = recorded.plain;
  const outcome = runBridge(
    {
      ...recorded,
      plain: { ...recorded.plain, ...bridge, prev_prompt_ids: Array.from(promptIds) },
      lossless: (field) =>
        field === "new_messages"
          ? (recorded.lossless("bridge") as ReadonlyMap<string, ReturnType<RecordedCase["lossless"]>>).get(field)
          : recorded.lossless(field),
    },
    renderer,
    { multimodal: multimodal ?? null },
  );
  if (outcome.outcome !== "passed" || bridge.expect === null) return outcome;
  const result = renderer.bridgeToNextTurn({
    promptIds,
    completionIds: bridge.prev_completion_ids,
    newMessages: messagesOf(
      { ...recorded, lossless: () => (recorded.lossless("bridge") as never as Map<string, never>).get("new_messages") },
      "new_messages",
    ),
    tools: toolsOf(recorded),
    multimodal: multimodal ?? null,
  });
  if (!result.ok) return passed(`refused: ${result.reason}`, outcome.actual);
  const joined = joinMultimodal(multimodal, result.extension.multimodal, {
    tokens: promptIds.length + bridge.prev_completion_ids.length,
    messages: messagesOf(recorded).length + 1,
  });
  const why = imagesDifference(bridge.expect.multi_modal_data, joined);
  return why ? failed(`bridge: ${why}`, outcome.actual) : outcome;
}

// biome-ignore lint/suspicious/noExplicitAny: see RecordedCase.plain
function imagesDifference(expected: any, actual: MultimodalData | undefined): string | null {
  const ours = actual?.images ?? [];
  const theirs = { hashes: expected?.mm_hashes?.image ?? [], ranges: expected?.mm_placeholders?.image ?? [] };
  const hashes = ours.map(({ hash }) => hash);
  const ranges = ours.map(({ offset, length }) => [offset, length]);
  return JSON.stringify({ hashes, ranges }) === JSON.stringify(theirs)
    ? null
    : `images: expected ${JSON.stringify(theirs)}, got ${JSON.stringify({ hashes, ranges })}`;
}
