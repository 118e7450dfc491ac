// The public surface of the room: JSON documents as bytes.

export { memorySource } from "./scan/memory-source.ts";
export type { Kind, Mode } from "./scan/scanner.ts";

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
export { describeJson, type DescribeOptions, describeText, describing } from "./read/describe.ts";
export type { JsonDescription, JsonShape } from "./read/describe.ts";
export { getJson, type GetOptions, getText, getting, type JsonGot, rawJson } from "./read/get.ts";
export {
  type JsonKey,
  type JsonKeys,
  type KeysOptions,
  keysText,
  listingKeys,
  listKeys,
} from "./read/keys.ts";
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
} from "./read/preview.ts";
export {
  type JsonFound,
  type JsonPage,
  querying,
  queryJson,
  type QueryOptions,
  queryText,
} from "./read/query.ts";
export type { ReadOptions } from "./read/read-options.ts";

// edits
export { editing, editJson } from "./edit/edit.ts";
export type { JsonEdit, JsonEditOp, JsonEditOptions, JsonEditReport, JsonEditResult } from "./edit/edit.ts";
export { editText, kilobytes, LARGE_VALUE } from "./edit/edit-text.ts";
export type { GivenValue } from "./edit/given-value.ts";
export type { DocumentMode } from "./edit/document-mode.ts";

// validation and the index
export { invalidJson, validateJson, validateSteps } from "./read/validate.ts";
export type { JsonFault, ValidateOptions, Validity } from "./read/validate.ts";
export { carryIndex } from "./scan/open.ts";
export { JsonIndexes, sharedIndexes } from "./scan/index-store.ts";
