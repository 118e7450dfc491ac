// Who compiles against these types need not name node's, or the library of `await using`, in a configuration.
/// <reference types="node" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />

// The public surface: JSON files on the host, for users of the library under Node.

export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../../errors.ts";
export type { Json, JsonObject } from "../../value.ts";
export type { ByteSource, Splice, Steps } from "../../text/index.ts";
export type {
  ComparisonOp,
  DocumentMode,
  GivenPath,
  GivenValue,
  JsonEdit,
  JsonEditOp,
  JsonEditOptions,
  JsonEditReport,
  JsonEditResult,
  JsonIndexes,
  JsonPath,
  JsonPathStep,
  Literal,
  LogicalExpr,
  PathSelector,
  Query,
  RegexpCall,
  Segment,
  ValueExpr,
} from "../../json/index.ts";
export { type EditFileOptions, editJsonFileSteps, editJsonFile } from "./edit-file.ts";
export { type HostFile, openHostFile } from "./host-file.ts";
export { type SpliceFileOptions, spliceFileSteps } from "./splice-file.ts";
