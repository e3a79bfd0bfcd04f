import fc from "fast-check";
import type { Renderer } from "../renderers/index.ts";
import { mismatchText } from "../verify/formatReport.ts";
import { referenceOf, verifyProbe } from "../verify/verifyProbe.ts";
import { type ConversationSample, conversations, type TurnLimits } from "./conversations.ts";
import { texts } from "./text.ts";
import { vocabularyOf } from "./vocabulary.ts";

export interface MatchesTemplateOptions extends TurnLimits {
  /** Jinja source. Default: the chat template that the renderer's model came with. */
  readonly template?: string | undefined;
  /** What is compared. Default: conversations with calls and reasoning, cut at any message behind the first query. */
  readonly samples?: fc.Arbitrary<ConversationSample> | undefined;
}

/**
 * A renderer gives the ids that the chat template gives, with the variables that follow from the renderer's config, in any
 * conversation that the template does not refuse. Fails, as too many skipped runs, if it refuses nearly all.
 *
 * @throws Error if there is no template
 */
export function matchesTemplate(renderer: Renderer, options: MatchesTemplateOptions = {}) {
  const reference = referenceOf(renderer, options.template);
  const { samples = templateConversations(renderer, options) } = options;
  return fc.property(samples, fc.boolean(), ({ messages, tools }, addGenerationPrompt) => {
    const template = reference.templateFor(tools.length > 0);
    if (template === null) throw new Error("there is no chat template to compare with");
    const probe = { name: "random conversation", messages, tools, addGenerationPrompt };
    const outcome = verifyProbe(renderer, probe, template, reference);
    fc.pre(outcome.kind !== "skipped");
    if (outcome.kind === "different") throw new Error(mismatchText(outcome.mismatch));
  });
}

/** Conversations without the format's markers, which a renderer takes for text and a template does not. */
export function templateConversations(renderer: Renderer, limits: TurnLimits = {}): fc.Arbitrary<ConversationSample> {
  const { markers } = vocabularyOf(renderer);
  const contents = texts().filter((one) => !markers.some((marker) => one.includes(marker)));
  return fc
    .tuple(conversations({ ...limits, contents, words: contents }), fc.nat())
    .map(([{ messages, tools }, at]) => {
      const first = messages.findIndex(({ role }) => role === "user") + 1;
      return { messages: messages.slice(0, first + (at % (messages.length - first + 1))), tools };
    });
}
