export { readGgufHeader } from "./header.ts";
export type { RemoteOptions } from "./remoteFront.ts";
export { fetchGgufHeader } from "./remoteHeader.ts";
export {
  type GgufHeader,
  type GgufNumbers,
  type GgufStrings,
  type GgufTensor,
  type GgufValue,
  ggufString,
} from "./types.ts";
