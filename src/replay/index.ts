export type { CallPlace, LocatedCalls } from "./locateCalls.ts";
export type { RecordedCompletion, RecordOptions } from "./recordCompletion.ts";
export { bindReplayer, type Replayer } from "./replayer.ts";
export type { SqliteDatabase, SqliteStatement } from "./sqliteDatabase.ts";
export { ToolCallStore, type ToolCallStoreOptions } from "./toolCallStore.ts";
export type {
  NewCall,
  NotReplayedCall,
  NotReplayedReason,
  RendererIdentity,
  ReplayedCall,
  ReplayedTurn,
  ReplayOptions,
  ReplayReport,
  ReplaySource,
  StoredCall,
  StoredCompletion,
  StoredTurn,
} from "./types.ts";
export { rendererIdentity, vocabularyId } from "./vocabularyId.ts";
