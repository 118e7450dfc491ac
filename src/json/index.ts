// The public surface of the room: JSON documents as bytes.

export { memorySource } from "./memory-source.ts";
export type { Kind, Mode } from "./scanner.ts";

// paths
export type {
  ComparisonOp,
  JsonPath,
  Literal,
  LogicalExpr,
  PathStep,
  Query,
  RegexpCall,
  Segment,
  Selector,
  ValueExpr,
} from "./path/ast.ts";
export { parsePath, type ParsePathOptions } from "./path/parse.ts";
export { normalizedPath, shortPath } from "./path/normalized.ts";
export { singularSteps, writableSteps } from "./path/singular.ts";
export type { EvaluationEnd } from "./path/evaluate.ts";

// reads
export { describeJson, type DescribeOptions, describeText, describing } from "./describe.ts";
export type { JsonDescription, JsonShape } from "./describe.ts";
export { getJson, type GetOptions, getText, getting, type JsonGot, rawJson } from "./get.ts";
export { type JsonKey, type JsonKeys, type KeysOptions, keysText, listingKeys, listKeys } from "./keys.ts";
export {
  GET_LIMITS,
  type JsonCut,
  type JsonPreview,
  MAX_PREVIEW_DEPTH,
  PREVIEW_DEPTH,
  previewing,
  previewJson,
  type PreviewOptions,
  previewText,
  truncationSummary,
} from "./preview.ts";
export { type JsonFound, type JsonPage, querying, queryJson, type QueryOptions, queryText } from "./query.ts";
export type { ReadOptions } from "./_reading.ts";

// edits
export { editing, editJson } from "./edit.ts";
export type { JsonEdit, JsonEditOp, JsonEditOptions, JsonEditReport, JsonEditResult } from "./edit.ts";
export { editText, kilobytes, LARGE_VALUE } from "./edit-text.ts";
export type { GivenValue } from "./_edit-value.ts";
export type { DocumentMode } from "./_writable.ts";

// validation and the index
export { invalidJson, validateJson, validateSteps } from "./validate.ts";
export type { JsonFault, ValidateOptions, Validity } from "./validate.ts";
export { carryIndex } from "./open.ts";
export { JsonIndexes, sharedIndexes } from "./index-store.ts";
