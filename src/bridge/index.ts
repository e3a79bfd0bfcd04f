export { type BridgeContext, bridgeToNextTurn } from "./bridge.ts";
export { scanTurn, type TurnEnd } from "./scanTurn.ts";
export type { BridgeRefusalReason, BridgeRequest, BridgeResult } from "./types.ts";
