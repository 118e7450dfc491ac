// The public surface of the room: JSON on strings and plain data, then documents as bytes of any size.

export { editJsonText, getValue } from "./text.ts";

// documents as bytes
export type { ByteSource } from "../text/byte-source.ts";
export { applySplices, type Splice } from "../text/splice.ts";
export type { Spliceable, Taker } from "../text/spliceable.ts";
export { runNow, runPaced, type Steps } from "../text/steps.ts";
export { memorySource } from "./scan/memory-source.ts";
export type { JsonKind, Mode } from "./scan/scanner.ts";

// paths
export type {
  ComparisonOp,
  GivenPath,
  JsonPath,
  Literal,
  LogicalExpr,
  JsonPathStep,
  Query,
  RegexpCall,
  Segment,
  PathSelector,
  ValueExpr,
} from "./path/ast.ts";
export { parseJsonPath, type ParseJsonPathOptions } from "./path/parse.ts";
export { normalizedPath, shortPath } from "./path/normalized.ts";
export { singularPath, writablePath } from "./path/singular.ts";
export type { EvaluationEnd } from "./path/evaluate.ts";

// reads
export { describeJson, type DescribeJsonOptions, describeText, describeJsonSteps } from "./read/describe.ts";
export type { JsonDescription, JsonShape } from "./read/describe.ts";
export {
  getJson,
  type GetOptions,
  getText,
  getJsonSteps,
  type JsonGot,
  oneLine,
  rawJson,
} from "./read/get.ts";
export {
  type JsonKey,
  type JsonKeys,
  type KeysOptions,
  keysText,
  listKeysSteps,
  listKeys,
} from "./read/keys.ts";
export { unnamedKeysText } from "./read/unnamed-keys.ts";
export {
  GET_LIMITS,
  type JsonCut,
  type JsonPreview,
  MAX_PREVIEW_DEPTH,
  PREVIEW_DEPTH,
  previewJsonSteps,
  previewJson,
  type JsonPreviewOptions,
  previewText,
  truncationSummary,
} from "./read/preview.ts";
export {
  type JsonFound,
  type JsonPage,
  queryJsonSteps,
  queryJson,
  type QueryOptions,
  queryText,
} from "./read/query.ts";
export type { PrintCut, Printed, PrintLimits } from "./read/print.ts";
export type { ReadOptions } from "./read/read-options.ts";
export { lineNumbersSteps } from "./read/line-numbers.ts";

// edits
export { editJsonSteps, editJson } from "./edit/edit.ts";
export type { JsonEdit, JsonEditOp, JsonEditOptions, JsonEditReport, JsonEditResult } from "./edit/edit.ts";
export {
  editLine,
  editText,
  type EditedNames,
  kilobytes,
  LARGE_VALUE,
  type ToldEdit,
} from "./edit/edit-text.ts";
export type { GivenValue } from "./edit/given-value.ts";
export type { DocumentMode } from "./edit/document-mode.ts";

// validation and the index
export { parseJsonSteps } from "./read/parse.ts";
export { invalidJson, validateJson, validateJsonSteps } from "./read/validate.ts";
export type { FaultReason } from "./read/explanation.ts";
export type { LinePosition } from "./read/place.ts";
export type { LineColumn } from "../text/line-column.ts";
export type { JsonFault, ValidateOptions, Validity } from "./read/validate.ts";
export { carryIndex, carryIndexSteps } from "./scan/open.ts";
export { JsonIndexes, sharedIndexes } from "./scan/index-store.ts";

// what every door has
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { Json, JsonObject } from "../value.ts";
