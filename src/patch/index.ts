// ndpatch: line patches that apply exactly or not at all. Read, apply, create, translate, show. Pure.

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
export { applyPatch, applyPatchSteps } from "./apply.ts";
export type { ApplyPatchOptions } from "./apply.ts";
export { patchedFiles } from "./report.ts";
export type { FileReport, FileStatus, OperationStatus, PatchReport } from "./report.ts";
export type { Conflict } from "./conflict.ts";
export type { PatchCandidate } from "./_candidates.ts";
export type { Difference } from "./_difference.ts";
export type { FileContent, PatchFile, PatchFiles } from "./files.ts";
export { conflictError, describeReport } from "./message.ts";
export type { Steps } from "../text/steps.ts";
export { createPatch, createPatchSteps, formatPatch } from "./create.ts";
export type { CreatedPatch, CreatePatchOptions } from "./create.ts";
export { toUnifiedDiff, toUnifiedDiffSteps } from "./unified-write.ts";
export type { ToUnifiedDiffOptions } from "./unified-write.ts";
export { fromUnifiedDiff } from "./unified-read.ts";
export type { FromUnifiedDiffOptions } from "./unified-read.ts";
export { previewPatch, previewPatchSteps, previewReportSteps } from "./preview.ts";
export type { PreviewPatchOptions } from "./preview.ts";
