export { allowedIds, bannedIds, soleAllowed } from "./allowedIds.ts";
export { hasId, type IdSet, idsOf } from "./idSet.ts";
export {
  type FedPiece,
  type TokenTrigger,
  type TriggerHit,
  type TriggerOptions,
  type TriggerSearch,
  triggerSearch,
  type WordTrigger,
} from "./triggerSearch.ts";
export { idsWriting, type Vocabulary, type VocabularyTrie, vocabularyTrie } from "./vocabularyTrie.ts";
