// Owns: the public surface of holdfast/gates.

export {
  applyGateChange,
  decodeGateSets,
  diffGateSets,
  encodeGateSets,
  gateChangesBetween,
  gateSetKey,
  invertGateChange,
  NO_GATE_SETS,
  openGate,
  putGates,
  rebaseGateChange,
  refuseGateChange,
  type GateChange,
  type GateRecord,
  type GateRefusal,
  type GateSetDiff,
  type GateSets,
  type OpenGate,
} from "./change.ts";
export {
  checkGateConfig,
  defineGates,
  type CategoryOf,
  type Gate,
  type GateConfig,
  type GateConfigInput,
  type GateConfigProblem,
  type GateDefinition,
  type GateDocument,
  type GateMode,
  type GateSet,
  type GatesLike,
  type KeyOf,
} from "./config.ts";
export { decideGates, overrideGates, type DecisionReason, type GateDecision } from "./decide.ts";
export type { GateActor, GateDiff } from "./diff.ts";
export {
  extractJson,
  type Extracted,
  type Extraction,
  type ExtractOptions,
  type NotExtracted,
} from "./extract/extract.ts";
export {
  GATE_ERROR_CODES,
  type GateError,
  type GateErrorCode,
  type GateLog,
  type GateLogEntry,
} from "./findings.ts";
export {
  emptyGates,
  parseGates,
  type GateResult,
  type GatesParsed,
  type GatesRefused,
  type ParseGatesOptions,
} from "./parse.ts";
export { DEFAULT_POLICY, type GatePolicy } from "./policy.ts";
export { gatePrompt, gateSchema, repairMessage } from "./prompt.ts";
export { describeRepair, type Repair, type RepairKind } from "./extract/repairs.ts";
export type { GateState, GateStatus, GateValue } from "./state.ts";
