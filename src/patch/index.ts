// ndpatch: line patches that apply exactly or not at all. Read, apply, create, translate, show. Pure.

export { parsePatch, parsePatchSteps } from "./parse.ts";
export type { ParseOptions } from "./parse.ts";
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
export { applyPatch, applyPatchSteps } from "./apply.ts";
export type { ApplyOptions } from "./apply.ts";
export { patchedFiles } from "./report.ts";
export type { FileReport, FileStatus, OperationStatus, PatchReport } from "./report.ts";
export type { Conflict } from "./conflict.ts";
export type { Candidate } from "./_candidates.ts";
export type { Difference } from "./_difference.ts";
export type { FileContent, PatchFile, PatchFiles } from "./files.ts";
export { conflictError, describeReport } from "./message.ts";
export type { Steps } from "../text/steps.ts";
export { createPatch, createPatchSteps, formatPatch } from "./create.ts";
export type { CreatedPatch, CreateOptions } from "./create.ts";
export { toUnifiedDiff, toUnifiedDiffSteps } from "./unified-write.ts";
export type { UnifiedOptions } from "./unified-write.ts";
export { fromUnifiedDiff } from "./unified-read.ts";
export type { FromUnifiedOptions } from "./unified-read.ts";
export { previewPatch, previewPatchSteps, previewReportSteps } from "./preview.ts";
export type { PreviewOptions } from "./preview.ts";
