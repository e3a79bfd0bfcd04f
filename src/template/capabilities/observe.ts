import { TitoError } from "../../errors.ts";
import type { TemplateContext } from "../compile/run.ts";
import { defaultLimits } from "../limits.ts";
import type { ChatTemplate, TemplateRenderOptions, TemplateTrace } from "../template.ts";
import type { Source } from "../values/source.ts";

type Path = readonly (string | number)[];

/** What a render wrote, asked by where it comes from. */
export interface Observation {
  readonly text: string;
  /** Something at this path of the context was written: itself, a part of it, or, `marker` in it, all of what it is a part of. */
  writes(path: Path, marker: string): boolean;
  /** The text of what was written from exactly this path. */
  textAt(path: Path): string;
}

/** The conversations are small: what takes more than this is broken. The time is fixed, so that renders can be compared. */
const options: TemplateRenderOptions = {
  now: new Date(2025, 0, 1),
  limits: { ...defaultLimits, steps: 1_000_000, length: 1_000_000 },
};

/** Renders a probe; null where the template raises. */
export function observe(template: ChatTemplate, context: TemplateContext): Observation | null {
  let trace: TemplateTrace;
  try {
    trace = template.trace(context, options);
  } catch (error) {
    if (error instanceof TitoError) return null;
    throw error;
  }
  const pieces: { text: string; path: Path }[] = [];
  for (const { text, source } of trace.pieces) {
    if (source !== null && text.trim() !== "") pieces.push({ text, path: pathOf(source) });
  }
  return {
    text: trace.text,
    writes: (path, marker) =>
      pieces.some((piece) => isWithin(piece.path, path) || (isWithin(path, piece.path) && piece.text.includes(marker))),
    textAt: (path) =>
      pieces
        .filter((piece) => piece.path.length === path.length && isWithin(piece.path, path))
        .map((piece) => piece.text)
        .join(""),
  };
}

/** A key that is written is not the value under it. */
function pathOf(source: Source): Path {
  return source.isKey ? [...source.parent!.path(), -1] : source.path();
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.length <= path.length && outer.every((key, at) => key === path[at]);
}
