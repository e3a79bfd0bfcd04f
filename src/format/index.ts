export type { Family, TurnFraming, WireFormat } from "./family.ts";
export { markers } from "./markers.ts";
export { renderedTokens } from "./renderedTokens.ts";
export { toolValue } from "./toolValue.ts";
