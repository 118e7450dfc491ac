// Owns: the result of applying a patch: per operation, per file, and the bytes that follow from it.

import type { Shown } from "../errors.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { Conflict } from "./conflict.ts";
import { contentBytes } from "../text/encoding.ts";
import { contentOf, fileNamed, fileNames, type PatchFiles } from "./files.ts";
import type { ParsedPatch, PatchReason, PatchWarning } from "./operation.ts";

/** How one operation fared. `fits`: it would apply, if another one were not in the way. */
export type OperationStatus = "applied" | "already_applied" | "fits" | PatchReason;

/** How one file fared. `fits`: it would change, if another one were not in the way. */
export type FileStatus =
  | "changed"
  | "unchanged"
  | "created"
  | "removed"
  | "already_applied"
  | "fits"
  | "conflict";

/** What the patch does to one file. */
export interface FileReport {
  /** The name the file was given under; for a file that does not exist, as the patch spells it. */
  readonly file: string;
  /** The file. */
  readonly path: WorkspacePath;
  /** What would become of it. */
  readonly status: FileStatus;
  /** The edit, over the file's bytes. Empty unless the whole patch applies. For a removed file, all it held. */
  readonly splices: readonly Splice[];
  /** Lines put in and taken out; a replaced line counts in both. */
  readonly added: number;
  /** Lines that go. */
  readonly removed: number;
  /** Lines it has now. */
  readonly linesBefore: number;
  /** Lines it would have then. */
  readonly linesAfter: number;
}

/** What a patch does, or why it cannot be applied. Plain data. */
export interface PatchReport {
  /** True when every operation of every file fits. */
  readonly ok: boolean;
  /** One for each file the patch names, in the order of first mention. */
  readonly files: readonly FileReport[];
  /** One for each operation, in the order of the patch. */
  readonly statuses: readonly OperationStatus[];
  /** In the order of files, then operations; at most `patchProblems`. */
  readonly conflicts: readonly Conflict[];
  /** All conflicts, listed or not. */
  readonly conflictCount: number;
  /** What is odd but does no harm. */
  readonly warnings: readonly PatchWarning[];
}

/** A file that the patch cannot change, for a reason that only the place where the files live can know. */
export interface FileRefusal {
  /** The file. */
  readonly path: WorkspacePath;
  /** Why it cannot be patched. */
  readonly reason: PatchReason;
  /** What is wrong and what to send instead. */
  readonly message: Shown;
}

/**
 * The report of a patch that fits its lines and still cannot be carried out, such as one that creates a file where a
 * directory is: nothing applies, and every refusal is a conflict. Without refusals, the report as it was. Cost: the files and
 * operations of the patch. Never fails.
 *
 * @example refuseFiles(report, patch, [{ path, reason: "is_directory", message }]).ok // false
 */
export function refuseFiles(
  report: PatchReport,
  patch: ParsedPatch,
  refusals: readonly FileRefusal[],
): PatchReport {
  if (refusals.length === 0) return report;
  const refused = new Map(refusals.map((refusal) => [refusal.path, refusal]));
  const conflicts = refusals.map((refusal): Conflict => {
    const file = report.files.find(({ path }) => path === refusal.path)?.file ?? refusal.path;
    return { file, ...refusal };
  });
  return {
    ok: false,
    files: report.files.map((file) => ({
      ...file,
      status: refused.has(file.path) ? "conflict" : file.status === "already_applied" ? file.status : "fits",
      splices: [],
      added: 0,
      removed: 0,
      linesAfter: file.linesBefore,
    })),
    statuses: report.statuses.map((status, i) => {
      const path = patch.paths.get(patch.operations[i]?.file ?? "");
      return refused.get(path as WorkspacePath)?.reason ?? (status === "applied" ? "fits" : status);
    }),
    conflicts,
    conflictCount: conflicts.length,
    warnings: report.warnings,
  };
}

/**
 * The files after the patch: those given, with changes made, created files added and removed ones left out. If the report
 * has conflicts, the files as they were. Text that no file can hold (half a surrogate pair) is left out. Cost: the size of
 * the files that change.
 *
 * @example patchedFiles(files, applyPatch(files, patch)).get("a.txt") // the bytes of a.txt after the patch
 */
export function patchedFiles(files: PatchFiles, report: PatchReport): Map<string, Uint8Array> {
  const after = new Map<string, Uint8Array>();
  for (const name of fileNames(files)) {
    const file = fileNamed(files, name);
    const bytes = file === undefined ? undefined : contentBytes(contentOf(file));
    if (bytes !== undefined) after.set(name, bytes);
  }
  if (!report.ok) return after;
  for (const { file, status, splices } of report.files) {
    if (status === "removed") after.delete(file);
    else if (status === "created" || status === "changed")
      after.set(file, applySplices(after.get(file) ?? new Uint8Array(0), splices));
  }
  return after;
}
