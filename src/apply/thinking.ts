import type { ReasoningLayout } from "../parse/index.ts";
import type { AppliedTemplate } from "./types.ts";

const switchedOn = ["enabled", "thinking", "on"];
const switchedOff = ["disabled", "chat", "off"];

/** What templates call the switch; each obeys its own. `thinking_mode` has the words that the template compares it with. */
export function thinkingVariables(thinking: boolean | undefined, source: string): Readonly<Record<string, unknown>> {
  if (thinking === undefined) return {};
  const words = new Set([...source.matchAll(/\bthinking_mode\s*==\s*["'](\w+)["']/g)].map((match) => match[1]));
  const mode = (thinking ? switchedOn : switchedOff).find((word) => words.has(word));
  return { enable_thinking: thinking, thinking, ...(mode === undefined ? {} : { thinking_mode: mode }) };
}

/** What closes reasoning may open the turn's next message, which is no part of the tag. */
export function thinkingTags(
  { open, close }: ReasoningLayout,
  header: string,
): NonNullable<AppliedTemplate["thinking"]> {
  const [end, next] = [close.trim(), header.trim()];
  const tag = next !== "" && end.endsWith(next) ? end.slice(0, end.length - next.length).trimEnd() : end;
  return { start: open.trim(), ends: tag === "" ? [] : [tag] };
}
