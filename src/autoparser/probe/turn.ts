import type { TemplateTrace } from "../../template/index.ts";

/** What of a message a piece of a turn says; null: it is the template's own text. */
export interface Slot {
  readonly kind: "content" | "reasoning" | "name" | "id" | "key" | "value" | "arguments" | "call" | "other";
  /** Number of the call. */
  readonly call: number;
  /** Name of the argument, for keys and values. */
  readonly key: string | null;
}

export interface TurnPiece {
  readonly text: string;
  readonly slot: Slot | null;
  /** UTF-16 offset in the turn's text. */
  readonly start: number;
}

/** An assistant's turn from behind its header to the end of what the template writes of it. */
export interface Turn {
  readonly text: string;
  readonly pieces: readonly TurnPiece[];
}

/** The part of a render from `start` to `end` (UTF-16 offsets), with what message `index` says in it. */
export function turnOf(trace: TemplateTrace, index: number, start: number, end: number): Turn {
  const pieces: TurnPiece[] = [];
  let at = 0;
  for (const { text, source } of trace.pieces) {
    const from = Math.max(at, start);
    const to = Math.min(at + text.length, end);
    if (from < to) {
      const slot =
        source === null || source.isTemplate || source.message !== index ? null : slotOf(source.path(), source.isKey);
      const piece = text.slice(from - at, to - at);
      const last = pieces.at(-1);
      if (last && isSame(last.slot, slot)) pieces[pieces.length - 1] = { ...last, text: last.text + piece };
      else pieces.push({ text: piece, slot, start: from - start });
    }
    at += text.length;
  }
  return { text: trace.text.slice(start, end), pieces };
}

const REASONING = new Set<string | number>(["reasoning_content", "reasoning", "thinking"]);

/** Path: `messages`, index, field … */
function slotOf(path: readonly (string | number)[], isKey: boolean): Slot | null {
  const field = path[2];
  const slot = (kind: Slot["kind"], call = -1, key: string | null = null): Slot => ({ kind, call, key });
  if (field === "role") return null;
  if (field === "content") return slot(REASONING.has(path[4]!) ? "reasoning" : "content");
  if (REASONING.has(field!)) return slot("reasoning");
  if (field !== "tool_calls") return slot("other");
  const call = typeof path[3] === "number" ? path[3] : -1;
  const inner = path[4] === "function" ? path.slice(5) : path.slice(4);
  if (inner[0] === "name") return slot("name", call);
  if (inner[0] === "id") return slot("id", call);
  // The one kind of call there is: as good as the template's own text.
  if (inner[0] === "type") return null;
  if (inner[0] !== "arguments") return slot("call", call);
  if (inner.length === 1) return slot("arguments", call);
  const key = String(inner[1]);
  return slot(inner.length === 2 && isKey ? "key" : "value", call, key);
}

function isSame(a: Slot | null, b: Slot | null): boolean {
  if (a === null || b === null) return a === b;
  return a.kind === b.kind && a.call === b.call && a.key === b.key && a.kind !== "name" && a.kind !== "id";
}
