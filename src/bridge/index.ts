export { type BridgeContext, bridgeToNextTurn } from "./bridge.ts";
export { scanTurn } from "./scanTurn.ts";
export type { BridgeRequest, BridgeResult } from "./types.ts";
