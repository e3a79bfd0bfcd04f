import { type CallReader, take } from "./callReader.ts";
import { best, findPart, MORE, matchAt, NO, type Pattern } from "./pieces.ts";

/** Goes on to where the damaged call ends. */
export function findClose(reader: CallReader): boolean {
  const { state, calls, followers } = reader;
  const last = calls.elements.at(-1);
  const own = last?.kind === "text" && last.pattern.pieces.length > 0 ? last.pattern : null;
  const closers = own ? [own] : [calls.section?.close, calls.first, ...followers].filter((one) => one?.pieces.length);
  for (let at = 0; ; ) {
    let found = state.buf.length;
    for (const one of closers) found = Math.min(found, findPart(state.buf, one?.pieces[0].text ?? "", at));
    if (found >= state.buf.length) {
      take(reader, state.buf.length);
      return false;
    }
    const end = closers.map((one) => matchAt(state, found, one as Pattern)).reduce(best, NO);
    if (end === MORE) {
      take(reader, found);
      return false;
    }
    if (end >= 0) {
      take(reader, found);
      if (own) take(reader, end - found, false);
      return true;
    }
    at = found + 1;
  }
}
