import { argumentPrefix, keyAt } from "./argumentKey.ts";
import type { CallReader } from "./callReader.ts";
import type { CompiledTagged } from "./compile.ts";
import { afterSpace, best, joined, MORE, matchAt, NO, type Pattern, type Piece } from "./pieces.ts";

export function endNeedles({ calls }: CallReader, { rest, separator, prefix }: CompiledTagged): readonly Piece[] {
  const { section, separator: next } = calls;
  return [rest.pieces[0], joined(separator, prefix).pieces[0], section?.close.pieces[0], next.pieces[0]].filter(
    (one) => one !== undefined,
  );
}

/** May a value be over at `at`? Either another argument begins there, or the call ends. */
export function legalEnd(reader: CallReader, element: CompiledTagged, at: number): number {
  const { state, calls } = reader;
  const begins = argumentPrefix(element, 1);
  let argument = begins.pieces.length > 0 ? matchAt(state, at, begins) : afterSpace(state, at);
  if (argument >= 0) {
    const key = keyAt(reader, element, argument);
    argument = typeof key === "number" ? key : key.next;
  }
  if (argument >= 0) return argument;
  const { rest } = element;
  const isLast = calls.elements.indexOf(element) >= calls.elements.length - 2;
  let over = rest.pieces.length > 0 ? matchAt(state, at, rest) : at;
  // A bracket alone says little.
  if (over >= 0 && isLast && rest.text.trim().length < 3) over = callFollows(reader, over);
  return best(argument, over);
}

/** May a call be over at `at`? */
function callFollows({ state, calls, followers }: CallReader, at: number): number {
  const { section, separator, first } = calls;
  const start = afterSpace(state, at);
  if (start === MORE || start >= state.buf.length) return state.eof ? at : MORE;
  const patterns = [section?.close, joined(separator, first), first, ...followers];
  return patterns
    .filter((one) => one !== undefined && one.pieces.length > 0)
    .map((one) => matchAt(state, at, one as Pattern))
    .reduce(best, NO);
}
