/**
 * What a renderer is tested with: arbitraries for messages, tools and completions, and the properties that every renderer
 * must have; and testers for single responses, of a template or a family. Needs `fast-check`.
 *
 * @example
 * import fc from "fast-check";
 * import { chunkingInvariant, roundTrips } from "tito-rl/testing";
 * fc.assert(roundTrips(renderer));
 * fc.assert(chunkingInvariant(renderer), { numRuns: 1000 });
 * @module
 */
export { anyIds, completions, type SampledTurn, sampledTurn } from "./completions.ts";
export {
  type ConversationSample,
  conversations,
  results,
  type TurnLimits,
  type TurnOptions,
  type TurnSample,
  turns,
} from "./conversations.ts";
export type { ExpectedCall, ExpectedMessage } from "./expectedMessage.ts";
export { type FamilyCase, type FamilyTester, type FamilyTesterOptions, familyTester } from "./familyTester.ts";
export { images } from "./images.ts";
export { type MatchesTemplateOptions, matchesTemplate, templateConversations } from "./matchesTemplate.ts";
export {
  bridgeEqualsRender,
  bridgeExtends,
  chunkingInvariant,
  injectionSafe,
  masksConsistent,
  type RoundTripOptions,
  roundTrips,
} from "./properties.ts";
export {
  type TemplateCase,
  type TemplateTester,
  type TemplateTesterOptions,
  templateTester,
} from "./templateTester.ts";
export { hostileTexts, plainTexts, texts } from "./text.ts";
export { awkwardStrings, type ToolUse, toolUses } from "./tools.ts";
