import { around, mirrorOf, openedBy, openingOf } from "../findings/reasoning.ts";
import { segments, wholePrefix } from "../text/diff.ts";
import { words } from "./probes.ts";
import { headerAt, type Place, type Speaker, type SpeakOptions, turnAt } from "./speaker.ts";

/** What a template writes to make the model speak, by what it was asked for. */
export interface PromptTexts {
  readonly plain: string;
  readonly tools: string;
  /** With thinking switched on, and off. */
  readonly on: string;
  readonly off: string;
}

/** Variables that switch thinking on or off, all that templates know at once, so that each obeys its own. */
export const thinkingOn = {
  enable_thinking: true,
  thinking: true,
  thinking_mode: "thinking",
  reasoning_effort: "high",
};
export const thinkingOff = { enable_thinking: false, thinking: false, thinking_mode: "chat" };

/** What a prompt has behind the render of the same messages without one; empty where it makes no difference. */
export function promptTexts(speaker: Speaker): PromptTexts {
  const added = (options: SpeakOptions): string => {
    const plain = speaker.ask(options);
    const prompting = speaker.ask({ ...options, prompt: true });
    if (plain === null || prompting === null)
      return options.variables ? added({ ...options, variables: undefined }) : "";
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

/** A prompt may open reasoning in every case; that is no part of the header then. */
export function withoutOpening(header: string, places: readonly (Place | null)[]): string {
  for (const place of places) {
    const turn = place && turnAt(place, header);
    const shown = turn && around(turn, "reasoning");
    if (!shown) continue;
    const opening = openingOf(header + shown.before, shown.after);
    if (opening.length > shown.before.length)
      return header.slice(0, header.length - (opening.length - shown.before.length));
  }
  return header;
}

/** Nor is a marker that every prompt writes, and some close at once. */
export function withoutPrefill(header: string, texts: readonly string[]): string {
  const marker = segments(header.trimEnd()).at(-1);
  const close = marker?.kind === "marker" ? mirrorOf(marker.text) : null;
  if (!marker || close === null) return header;
  const start = header.lastIndexOf(marker.text);
  const isClosed = texts.some((text) => {
    const at = text.indexOf(header.slice(start));
    return (
      at >= 0 &&
      text
        .slice(at + header.length - start)
        .trimStart()
        .startsWith(close)
    );
  });
  return isClosed ? header.slice(0, start) : header;
}

/** What a prompt has written behind the header; from its end where `add_generation_prompt` makes no difference. */
export function openedText(
  speaker: Speaker,
  header: string,
  prompt: string,
  variables: SpeakOptions["variables"],
): string {
  if (prompt !== "" && prompt.includes(header)) return openedBy(prompt, header);
  const plain = speaker.ask({ variables, prompt: true }) ?? "";
  const place = speaker.place({ content: words.content }, { variables });
  return place ? plain.slice(wholePrefix(plain, place.trace.text).length) : "";
}
