export { argumentEntries, callArguments, spokenCall } from "./callArguments.ts";
export { type Chatml, chatml, chatmlMarkers } from "./chatml.ts";
export type {
  BridgeObjection,
  BridgeView,
  Family,
  ImageFormat,
  TurnEnd,
  TurnFraming,
  WireFormat,
  WriteContext,
} from "./family.ts";
export { markers, textMarker } from "./markers.ts";
export { renderedTokens } from "./renderedTokens.ts";
export { lastQueryIndex, splitThinking, startsChatmlQuery, type Thinking } from "./thinking.ts";
export { toolValue } from "./toolValue.ts";
