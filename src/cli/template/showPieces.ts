import type { Message } from "../../messages/index.ts";
import type { Source, TracePiece } from "../../template/index.ts";
import type { Paint } from "./paint.ts";
import { type Cell, table } from "./table.ts";

/** A piece of a render and where it comes from. */
export interface ShownPiece {
  readonly text: string;
  /** The message that the template was writing, or else the one that the piece is from; -1: none. */
  readonly message: number;
  /** `template` for its own text, else the value's path: `messages[0].content`. */
  readonly origin: string;
  readonly path: readonly (string | number)[] | null;
  /** The path leads to a dict's key, and the key itself is the text. */
  readonly isKey: boolean;
  /** Where in the template it was written, from 1, the column in UTF-16 units. */
  readonly line: number;
  readonly column: number;
}

/**
 * Pieces with their origins in words.
 *
 * @param source the template's text, which the pieces' offsets are in.
 * @param indices for each message that the template saw its index among those that were passed.
 */
export function shownPieces(pieces: readonly TracePiece[], source: string, indices: readonly number[]): ShownPiece[] {
  const starts = lineStarts(source);
  return pieces.map(({ text, source: from, writing, at }) => {
    const path = from === null ? null : passedPath(from, indices);
    const seen = writing >= 0 ? writing : (from?.message ?? -1);
    const line = starts.findLastIndex((start) => start <= at);
    return {
      text,
      message: indices[seen] ?? -1,
      origin: path === null ? "template" : pathText(path),
      path,
      isKey: from?.isKey ?? false,
      line: line + 1,
      column: at - starts[line]! + 1,
    };
  });
}

function passedPath(source: Source, indices: readonly number[]): (string | number)[] {
  const path = source.path();
  if (source.message >= 0) path[1] = indices[source.message] ?? source.message;
  return path;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** `messages[0].tool_calls[0].function.arguments["a b"]` */
export function pathText(path: readonly (string | number)[]): string {
  const [variable, ...keys] = path;
  const steps = keys.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return `${variable}${steps.join("")}`;
}

/** A row for each piece: its message, its origin, where the template wrote it, its text in quotes. */
export function pieceLines(pieces: readonly ShownPiece[], messages: readonly Message[], paint: Paint): string[] {
  const heading = ["message", "origin", "template", "text"].map((text) => headingCell(text, paint));
  return table([heading, ...pieces.map((piece) => pieceRow(piece, messages, paint))]);
}

function pieceRow(piece: ShownPiece, messages: readonly Message[], paint: Paint): Cell[] {
  const { text, message, origin, isKey, line, column } = piece;
  const style = styleOf(piece);
  const painted = (cell: string): Cell => ({ text: cell, paint: (it) => paint(style, it) });
  return [
    { text: messageLabel(message, messages) },
    painted(isKey ? `${origin} (key)` : origin),
    { text: `${line}:${column}` },
    painted(JSON.stringify(text)),
  ];
}

function styleOf({ path }: ShownPiece): "dim" | "green" | "yellow" | "cyan" {
  if (path === null) return "dim";
  if (path[0] === "messages") return path[2] === "content" ? "green" : "cyan";
  return "yellow";
}

export function messageLabel(message: number, messages: readonly Message[]): string {
  return message < 0 ? "-" : `${message} ${messages[message]?.role ?? ""}`.trimEnd();
}

export const headingCell = (text: string, paint: Paint): Cell => ({ text, paint: (it) => paint("bold", it) });
