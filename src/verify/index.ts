export { formatReport } from "./formatReport.ts";
export { type ResolveRendererOptions, resolveRenderer } from "./resolveRenderer.ts";
export type {
  FamilyMatch,
  IdMismatch,
  MismatchPlace,
  RefusalMismatch,
  RendererResolution,
  VerifyLevel,
  VerifyMismatch,
  VerifyOptions,
  VerifyProbe,
  VerifyProgress,
  VerifyReport,
  VerifySkip,
} from "./types.ts";
export { verifyRenderer } from "./verifyRenderer.ts";
