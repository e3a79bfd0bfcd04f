export { type BridgeProof, bridgeProof } from "./certificate.ts";
export { formatCertificate } from "./formatCertificate.ts";
export { answer, calls, histories, probeId, probeTools, thought } from "./probes.ts";
export type { Boundary } from "./proveBoundary.ts";
export type { ProbedTemplate, ProbeOptions } from "./prover.ts";
export { turnAgreement } from "./sameHistory.ts";
export { firstSpecial, turnPlace } from "./turnPlace.ts";
export type {
  BoundaryCertificate,
  BoundaryVerdict,
  BridgeCertificate,
  CounterExample,
  LastTurn,
} from "./types.ts";
