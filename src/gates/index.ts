// Owns: the public surface of holdfast/gates: what most people want first, what history needs last.

export {
  extractJson,
  type Extracted,
  type Extraction,
  type ExtractFlags,
  type ExtractOptions,
  type NotExtracted,
} from "./extract/extract.ts";
export { extractor, type Extractor } from "./extract/extractor.ts";
export type { PartialJson } from "./extract/partial-reader.ts";
export { describeRepair, type Repair, type RepairKind } from "./extract/repairs.ts";
export {
  judge,
  judgeAsync,
  type Judged,
  type JudgedUnfit,
  type Judgement,
  type JudgeOptions,
  type JudgeSchema,
  type StandardResult,
  type StandardSchemaLike,
} from "./judge/judge.ts";
export { checkGateConfig, defineGates } from "./define.ts";
export type {
  GateConfig,
  GateConfigInput,
  GateConfigProblem,
  GateDefinition,
  GateDocument,
} from "./config.ts";
export type { CategoryOf, Gate, GateMode, GateSet, GatesLike, KeyOf } from "./gate-set.ts";
export { DEFAULT_POLICY, type GatePolicy } from "./policy.ts";
export {
  emptyGates,
  parseGates,
  type GateResult,
  type GatesParsed,
  type GatesRefused,
  type ParseGatesOptions,
} from "./parse.ts";
export {
  GATE_ERROR_CODES,
  type GateError,
  type GateErrorCode,
  type GateLog,
  type GateLogEntry,
} from "./findings.ts";
export type { GateState, GateStatus, GateValue } from "./state.ts";
export {
  decideGates,
  liftOverride,
  overrideGates,
  type DecisionReason,
  type GateDecision,
} from "./decide.ts";
export type { GateActor, GateDiff } from "./diff.ts";
export {
  gatePrompt,
  gateSchema,
  gateSchemaJson,
  gateStateJson,
  repairMessage,
  type GatePromptOptions,
  type RefusedAnswer,
} from "./prompt.ts";
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { Json, JsonObject } from "../value.ts";

// Gate sets as history sees them.
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
