import type { AppliedTemplate } from "../apply/index.ts";
import { parseGbnf, whyNot } from "../gbnf/index.ts";
import type { ParsedResponse } from "../parse/index.ts";
import { show } from "./expectedMessage.ts";

/**
 * The request's grammar takes a canonical response: from the trigger on where it is lazy. Says nothing of responses that it
 * need not take: those read with leniency, and without calls where it is lazy.
 *
 * @throws Error that shows the text and where the grammar stops
 */
export function checkGrammar(applied: AppliedTemplate, text: string, response: ParsedResponse): void {
  const { grammar, lazy } = applied;
  const { toolCalls, canonical } = response;
  if (grammar === null || !canonical || toolCalls.some(({ status }) => status !== "ok")) return;
  if (lazy && toolCalls.length === 0) return;
  const start = lazy ? triggerPlace(applied, text, toolCalls[0]!.tokenSpan[0]) : 0;
  if (start === null) {
    const triggers = applied.triggers.map((trigger) => trigger.text);
    throw new Error(`No trigger begins the call. triggers ${show(triggers)}\ntext     ${show(text)}`);
  }
  const held = text.slice(start);
  const mismatch = whyNot(parseGbnf(grammar), held);
  if (mismatch === null) return;
  throw new Error(
    `The grammar does not take the response. ${mismatch.message}\ntext     ${show(held)}\ngrammar\n${grammar}`,
  );
}

/** Where the trigger stands that begins the first call: the last one that is not behind its start, white space left out; or in it. */
function triggerPlace({ triggers, thinking }: AppliedTemplate, text: string, start: number): number | null {
  const call = text.length - text.slice(start).trimStart().length;
  const places = triggers.map((trigger) => {
    const ahead = text.lastIndexOf(trigger.text, call);
    const at = ahead < 0 ? text.indexOf(trigger.text, call) : ahead;
    if (at < 0 || trigger.kind === "token" || !trigger.atStart) return at;
    const before = text.slice(0, at).trimEnd();
    return before === "" || (thinking?.ends ?? []).some((end) => before.endsWith(end)) ? at : -1;
  });
  const last = Math.max(-1, ...places);
  return last < 0 ? null : last;
}
