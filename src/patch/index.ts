// ndpatch: line patches that apply exactly or not at all. Read, apply, create, translate, show. Pure.

// One text, from text to text.
export { applyPatchText } from "./apply-text.ts";

// Patches as data: make, write, read.
export { createPatch, createPatchSteps, formatPatch } from "./create.ts";
export type { CreatedPatch, CreatePatchOptions } from "./create.ts";
export { parsePatch, parsePatchSteps } from "./parse.ts";
export type { ParsePatchOptions } from "./parse.ts";
export type {
  Eol,
  Operation,
  OperationName,
  ParsedPatch,
  Patch,
  PatchReason,
  PatchWarning,
} from "./operation.ts";
export type { PatchProblem } from "./_problems.ts";

// Many files: plan, then take the result, or say why not.
export { applyPatch, applyPatchSteps } from "./apply.ts";
export type { ApplyPatchOptions } from "./apply.ts";
export { patchedFiles, refuseFiles } from "./report.ts";
export type { FileRefusal, FileReport, FileStatus, OperationStatus, PatchReport } from "./report.ts";
export type { Conflict } from "./conflict.ts";
export type { PatchCandidate } from "./_candidates.ts";
export type { Difference } from "./_difference.ts";
export type { PatchFile, PatchFiles } from "./files.ts";
export type { FileContent } from "../text/encoding.ts";
export { conflictError, describeReport } from "./message.ts";
export type { DescribeOptions } from "./message.ts";

// Unified diffs.
export { toUnifiedDiff, toUnifiedDiffSteps } from "./unified-write.ts";
export type { ToUnifiedDiffOptions } from "./unified-write.ts";
export { fromUnifiedDiff, isUnifiedDiff } from "./unified-read.ts";
export type { FromUnifiedDiffOptions } from "./unified-read.ts";

// The formats that models write: read, then placed in the files.
export { editFormatOf, parseEdits } from "./formats/parse-edits.ts";
export type { ParsedEdits } from "./formats/parse-edits.ts";
export { placeEdits, placeEditsSteps } from "./formats/place.ts";
export type { PlacedEdits, PlaceEditsOptions } from "./formats/place.ts";
export type { EditNote } from "./formats/place-block.ts";
export type { BlockLine, EditBlock, EditFormat, FileEdit } from "./formats/edit.ts";
export type { BlockMatch } from "./formats/find-block.ts";
export type { DiffFile, DiffHunk, DiffLine } from "./_unified-parse.ts";

// For people to read before they say yes.
export { previewPatch, previewPatchSteps, previewReportSteps } from "./preview.ts";
export type { PreviewPatchOptions } from "./preview.ts";

// What every door has.
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { Limits } from "../limits.ts";
export type { NameAlphabet, PathOptions, WorkspacePath } from "../path/index.ts";
export type { Splice } from "../text/splice.ts";
export type { Json, JsonObject } from "../value.ts";
export type { LineEnding } from "../text/lines.ts";
export type { Steps } from "../text/steps.ts";
export { runNow, runPaced } from "../text/steps.ts";
