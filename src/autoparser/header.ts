import { wholePrefix } from "./diff.ts";
import { headerAt, type Place, type Speaker, type SpeakOptions } from "./speaker.ts";

/** What a template writes to make the model speak, by what it was asked for. */
export interface PromptTexts {
  readonly plain: string;
  readonly tools: string;
  /** With thinking switched on, and off. */
  readonly on: string;
  readonly off: string;
}

/** Variables that switch thinking on or off, all that templates know at once, so that each obeys its own. */
export const thinkingOn = { enable_thinking: true, thinking: true, thinking_mode: "thinking", reasoning_effort: "high" };
export const thinkingOff = { enable_thinking: false, thinking: false, thinking_mode: "chat" };

/** What a prompt has behind the render of the same messages without one; empty where it makes no difference. */
export function promptTexts(speaker: Speaker): PromptTexts {
  const added = (options: SpeakOptions): string => {
    const plain = speaker.ask(options);
    const prompting = speaker.ask({ ...options, prompt: true });
    if (plain === null || prompting === null) return options.variables ? added({ ...options, variables: undefined }) : "";
    return prompting.slice(wholePrefix(plain, prompting).length);
  };
  return {
    plain: added({}),
    tools: added({ tools: true }),
    on: added({ variables: thinkingOn }),
    off: added({ variables: thinkingOff }),
  };
}

/** The text that opens a turn in every case: what prompts and turns share. */
export function headerOf(prompts: PromptTexts, places: readonly Place[]): string {
  const texts = Object.values(prompts).filter((text) => text !== "");
  if (texts.length === 0) return "";
  const shared = texts.reduce(wholePrefix);
  return places.reduce((header, place) => {
    const here = headerAt(place, shared);
    return here === "" ? header : wholePrefix(header, here);
  }, shared);
}
