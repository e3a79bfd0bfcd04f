import type { Message } from "../../messages/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import type { RenderedTokens } from "../../tokens/index.ts";
import type { Paint } from "./paint.ts";
import { headingCell, messageLabel } from "./showPieces.ts";
import { type Cell, table } from "./table.ts";

/** A token of a render. */
export interface ShownId {
  readonly id: number;
  /** Its text; null where its bytes are none by themselves, because a character is spread over tokens. */
  readonly text: string | null;
  /** Two hexadecimal digits a byte, where there is no text. */
  readonly bytes?: string;
  /** -1: of no message. */
  readonly message: number;
  readonly sampled: boolean;
  readonly content: boolean;
}

export function shownIds(rendered: RenderedTokens, tokenizer: Tokenizer): ShownId[] {
  const { tokenIds, messageIndices, sampledMask, contentMask } = rendered;
  return Array.from(tokenIds, (id, index) => ({
    id,
    ...textOrBytes(tokenizer.decodeBytes([id])),
    message: messageIndices[index]!,
    sampled: sampledMask[index] === 1,
    content: contentMask[index] === 1,
  }));
}

function textOrBytes(bytes: Uint8Array): { text: string } | { text: null; bytes: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { text: null, bytes: Buffer.from(bytes).toString("hex") };
  }
}

/** A row for each token: its place, its id, its message, its mark, its text in quotes. */
export function idLines(ids: readonly ShownId[], messages: readonly Message[], paint: Paint): string[] {
  const heading = ["index", "id", "message", "mark", "text"].map((text) => headingCell(text, paint));
  const rows = ids.map((token, index): (string | Cell)[] => {
    const { id, text, bytes = "", message } = token;
    const [mark, style] = markOf(token);
    const painted = (cell: string): Cell => ({ text: cell, paint: (it) => paint(style, it) });
    return [
      String(index),
      String(id),
      messageLabel(message, messages),
      painted(mark),
      painted(text === null ? `<${bytes}>` : JSON.stringify(text)),
    ];
  });
  return table([heading, ...rows]);
}

/** Of an assistant's message what is sampled is its content, and all of it. */
function markOf({ sampled, content }: ShownId): readonly [mark: string, style: "cyan" | "green" | "dim"] {
  if (sampled) return ["sampled", "green"];
  return content ? ["content", "cyan"] : ["-", "dim"];
}
