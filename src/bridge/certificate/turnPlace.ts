import type { TurnShape } from "../../renderers/default/turnShape.ts";
import type { Source, TemplateTrace, TracePiece } from "../../template/index.ts";
import type { AddedToken } from "../../tokenizer/types.ts";
import { thoughtFields } from "./probes.ts";

/** Where an assistant's turn ends in a render. */
export interface TurnPlace {
  /** UTF-16 units up to and with the token that closes the turn; where the next turn's marker closes it, up to that. */
  readonly end: number;
  /** The template writes a token there that closes the turn, or one that begins the next. */
  readonly isMarked: boolean;
}

export interface TurnTokens {
  readonly shape: Pick<TurnShape, "turnEnd" | "nextTurn">;
  readonly tokens: readonly AddedToken[];
}

const isRole = ({ source }: TracePiece): boolean => source !== null && fieldOf(source) === "role";

/** The field of its message that a piece is from, or is a part of; null: it is from no message. */
export function fieldOf(source: Source): string | number | null {
  let at = source;
  // Above a field stand its message and the list of messages.
  while (at.parent?.parent?.parent != null) at = at.parent;
  return at.parent?.parent != null && source.message >= 0 ? at.key : null;
}

/** @param turn index of the assistant's message. Null: the render has nothing of it. */
export function turnPlace({ pieces, text }: TemplateTrace, turn: number, options: TurnTokens): TurnPlace | null {
  const isOwn = ({ source }: TracePiece) => source?.message === turn;
  const isLater = (piece: TracePiece) => (piece.source?.message ?? -1) > turn;
  const first = pieces.findIndex((piece) => isOwn(piece) && !isRole(piece));
  if (first < 0) return null;
  let last = first;
  let place = 0;
  const starts = pieces.map((piece) => {
    const start = place;
    place += piece.text.length;
    return start;
  });
  // The name of the tool that answers may be the assistant's word, but stands in the answer's turn.
  for (let at = first; at < pieces.length; at++) {
    const piece = pieces[at]!;
    if (isLater(piece) || piece.writing > turn) break;
    if (isOwn(piece)) last = at;
  }
  let next = last + 1;
  while (next < pieces.length && !(isLater(pieces[next]!) && !isRole(pieces[next]!))) next++;
  const said = starts[last]! + pieces[last]!.text.length;
  const gap = text.slice(said, next < pieces.length ? starts[next] : text.length);
  return placeIn(gap, said, options);
}

function placeIn(gap: string, said: number, { shape: { turnEnd, nextTurn }, tokens }: TurnTokens): TurnPlace {
  const at = turnEnd === null ? -1 : gap.indexOf(turnEnd);
  if (at >= 0) return { end: said + at + turnEnd!.length, isMarked: true };
  const special = firstSpecial(gap, tokens);
  if (special === null) return { end: said + gap.length, isMarked: false };
  return { end: said + special, isMarked: turnEnd === null && nextTurn.length > 0 };
}

/** A piece of what this message thinks. */
export function isThought({ source }: TracePiece, message: number): boolean {
  return source?.message === message && thoughtFields.includes(fieldOf(source));
}

/** Where the first control token of a text begins; null: it has none. */
export function firstSpecial(text: string, tokens: readonly AddedToken[]): number | null {
  let first: number | null = null;
  for (const { content, special } of tokens) {
    if (!special || content === "") continue;
    const at = text.indexOf(content);
    if (at >= 0 && (first === null || at < first)) first = at;
  }
  return first;
}
