// Owns: applying a patch to many files: everything is checked first, then everything is planned as splices, or nothing.
// Must never: write, read or change anything. It is a function of its arguments.

import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { echo, say, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import { isAlreadyApplied } from "./_already-applied.ts";
import { ByteArena } from "./_byte-arena.ts";
import { gluedOperations } from "./_endings.ts";
import { LineRuns } from "./_line-runs.ts";
import { nearestPath } from "../path/nearest-path.ts";
import { countLinesOfNew } from "./_new-text.ts";
import { planOffset } from "./_plan-offset.ts";
import { planOriginal, type Misfit } from "./_plan.ts";
import { Splicer, writeRun } from "./_splices.ts";
import { runNow, type Steps } from "../text/steps.ts";
import { plural } from "../text/plural.ts";
import { showJson } from "../text/show.ts";
import { linesOfUtf8, TextLines } from "../text/text-lines.ts";
import { conflictOf, describeMisfits, type Conflict } from "./conflict.ts";
import { fileNames, findFile, type FoundFile, type PatchFiles } from "./files.ts";
import type { Operation, ParsedPatch, PatchReason } from "./operation.ts";
import { parsePatchSteps, type ParsePatchOptions, readPatchSteps } from "./parse.ts";
import type { FileReport, FileStatus, OperationStatus, PatchReport } from "./report.ts";

export const APPLY_OPTIONS: OptionNames<ApplyPatchOptions> = {
  limits: true,
  names: ["ascii", "unicode"],
  numbering: ["original", "offset"],
  existing: true,
};

/** How a patch is applied. */
export interface ApplyPatchOptions extends ParsePatchOptions {
  /** `original` unless told: `line` names a line of the original file. `offset` follows the earlier draft to the letter. */
  readonly numbering?: "original" | "offset";
  /**
   * Names of files that exist, given or not; asked only when a file is missing, to guess at the one that was meant. Those
   * given, unless told.
   */
  readonly existing?: () => Iterable<WorkspacePath>;
}

/**
 * Plans a patch over files. Returns the splices of every file, or every conflict and no splice at all. Takes a
 * parsed patch, or whatever {@link parsePatch} reads, and throws what that throws. Nothing is written: the caller
 * applies the splices (`patchedFiles`) and stores them. O(bytes + operations x log operations).
 *
 * @example
 * const files = new Map([["a.txt", "one\ntwo\n"]]);
 * const report = applyPatch(files, [{ file: "a.txt", line: 2, op: "replace", old: "two", new: "2" }]);
 * report.ok                          // true
 * patchedFiles(files, report)        // a.txt: "one\n2\n"
 */
export function applyPatch(files: PatchFiles, patch: unknown, options: ApplyPatchOptions = {}): PatchReport {
  checkOptionNames(say`applyPatch`, options, APPLY_OPTIONS);
  return runNow(applyPatchSteps(files, runNow(readPatchSteps(patch, options, [], Infinity)), options));
}

/**
 * {@link applyPatch} in steps of a few milliseconds. The files must not change between steps.
 *
 * @example const report = await runPaced(applyPatchSteps(files, patch));
 */
export function* applyPatchSteps(
  files: PatchFiles,
  patch: unknown,
  options: ApplyPatchOptions = {},
): Steps<PatchReport> {
  const parsed = yield* parsePatchSteps(patch, options);
  const limits = options.limits ?? DEFAULT_LIMITS;
  // Most patches apply, so that is what every operation is taken to do until something is found against it.
  const statuses: OperationStatus[] = parsed.operations.map(() => "applied");
  const checks: Check[] = [];
  let listed = 0;
  for (const target of targetsOf(files, parsed)) {
    const room = limits.patchProblems - listed;
    const check = yield* checkFile(files, target, parsed, statuses, room, limits, options);
    listed += check.conflicts.length;
    checks.push(check);
  }
  const conflictCount = checks.reduce((sum, check) => sum + check.conflictCount, 0);
  const ok = conflictCount === 0;
  if (!ok) for (const [i, status] of statuses.entries()) if (status === "applied") statuses[i] = "fits";
  const reports = checks.map((check) => (ok ? reportOf(check) : refusedReport(check)));
  const conflicts = checks.flatMap((check) => check.conflicts);
  return { ok, files: reports, statuses, conflicts, conflictCount, warnings: parsed.warnings };
}

/** One file of the patch: where it is, and what the patch says about it. */
interface Target {
  readonly file: string;
  readonly path: WorkspacePath;
  readonly found: FoundFile | undefined;
  readonly indices: number[];
  created: boolean;
  removed: boolean;
  base: string | undefined;
}

/** What was found out about one file before anything is decided. */
interface Check {
  readonly target: Target;
  readonly lines: TextLines;
  /** Undefined if the file stays as it is. */
  readonly edit: Splicer | undefined;
  readonly conflicts: readonly Conflict[];
  readonly conflictCount: number;
  readonly alreadyApplied: boolean;
}

const NO_BYTES = new Uint8Array(0);
const NO_LINES = new TextLines(NO_BYTES, new Uint32Array(2), 0);

function targetsOf(files: PatchFiles, patch: ParsedPatch): Target[] {
  const targets = new Map<WorkspacePath, Target>();
  const targetOf = (spelling: string): Target => {
    const path = patch.paths.get(spelling) as WorkspacePath;
    let target = targets.get(path);
    if (target === undefined) {
      const found = findFile(files, path, spelling);
      const file = found?.name ?? spelling;
      target = { file, path, found, indices: [], created: false, removed: false, base: undefined };
      targets.set(path, target);
    }
    return target;
  };
  let last: Target | undefined;
  let spelled: string | undefined;
  for (let i = 0; i < patch.operations.length; i++) {
    const { file } = patch.operations[i] as Operation;
    if (last === undefined || file !== spelled) last = targetOf(file);
    spelled = file;
    last.indices.push(i);
  }
  for (const file of patch.created) targetOf(file).created = true;
  for (const file of patch.removed) targetOf(file).removed = true;
  for (const [file, token] of patch.base) targetOf(file).base = token;
  return [...targets.values()];
}

function* checkFile(
  files: PatchFiles,
  target: Target,
  patch: ParsedPatch,
  statuses: OperationStatus[],
  room: number,
  limits: Limits,
  options: ApplyPatchOptions,
): Steps<Check> {
  const { found, indices } = target;
  const lines = found === undefined ? NO_LINES : yield* linesOf(found, limits);
  if (!(lines instanceof TextLines)) return refuseFile(target, statuses, lines);
  const planner = options.numbering === "offset" ? planOffset : planOriginal;
  const { operations } = patch;
  const runs = new LineRuns(operations, indices.length);
  const edit = new Splicer(lines, runs);
  const planning = planner(lines, operations, indices, runs);
  let step = planning.next();
  for (; step.done !== true; step = planning.next()) {
    edit.advance(false);
    yield;
  }
  edit.advance(true);
  const misfits = step.value;
  const whole = wholeFileConflicts(target, lines, runs, misfits);
  const alreadyApplied =
    !isStale(target) &&
    (isDone(target, lines, runs, indices, operations) ||
      (misfits.length > 0 &&
        target.found !== undefined &&
        (yield* isAlreadyApplied(lines, operations, indices, misfits, planner))));
  if (alreadyApplied) {
    for (const index of indices) statuses[index] = "already_applied";
    return { target, lines, edit: undefined, conflicts: [], conflictCount: 0, alreadyApplied };
  }
  for (const { op, reason } of misfits) statuses[op] = reason;
  const place = {
    file: target.file,
    path: target.path,
    exists: found !== undefined,
    meant: found === undefined && misfits.length > 0 ? meantFor(target.path, files, options) : undefined,
    numbering: options.numbering ?? "original",
  };
  const glued = misfits.length > 0 ? [] : gluedOperations(lines, runs);
  for (const op of glued) statuses[op] = "invalid_operation";
  const conflicts = [
    ...whole,
    ...(yield* describeMisfits(place, lines, operations, misfits.slice(0, Math.max(0, room)))),
    ...glued.slice(0, Math.max(0, room)).map((op) =>
      conflictOf(place, operations[op] as Operation, op, {
        reason: "invalid_operation",
        message: say`"eol": "none" is for the last line of the file, and more lines follow. Leave "eol" out.`,
      }),
    ),
  ];
  const conflictCount = whole.length + misfits.length + glued.length;
  return {
    target,
    lines,
    edit,
    conflicts: conflicts.slice(0, Math.max(0, room)),
    conflictCount,
    alreadyApplied,
  };
}

function meantFor(
  path: WorkspacePath,
  files: PatchFiles,
  options: ApplyPatchOptions,
): WorkspacePath | undefined {
  if (options.existing !== undefined) return nearestPath(path, options.existing());
  const given: WorkspacePath[] = [];
  for (const name of fileNames(files)) {
    try {
      given.push(parsePath(name, { names: "unicode", kind: "file" }));
    } catch {
      // A name that no patch can spell was not meant.
    }
  }
  return nearestPath(path, given);
}

function* linesOf(found: FoundFile, limits: Limits): Steps<TextLines | Refusal> {
  const { bytes } = found;
  if (bytes === undefined) return BINARY;
  const most = Math.min(limits.fileBytes, 0xffff_ffff);
  if (bytes.length > most)
    return {
      reason: "too_large",
      message: say`the file has ${bytes.length} bytes; at most ${most} can be patched.`,
    };
  const lines = yield* linesOfUtf8(bytes, limits.patchLines);
  if (lines === "binary") return BINARY;
  if (lines === "too_large")
    return {
      reason: "too_large",
      message: say`the file has more than ${limits.patchLines} lines, the most that can be patched.`,
    };
  return lines;
}

interface Refusal {
  readonly reason: PatchReason;
  readonly message: Shown;
}

const BINARY: Refusal = {
  reason: "binary",
  message: say`the file is not UTF-8 text, so it has no lines to patch. Write it as a whole instead.`,
};

function refuseFile(target: Target, statuses: OperationStatus[], refusal: Refusal): Check {
  for (const index of target.indices) statuses[index] = refusal.reason;
  const conflict: Conflict = { file: target.file, path: target.path, ...refusal };
  return {
    target,
    lines: NO_LINES,
    edit: undefined,
    conflicts: [conflict],
    conflictCount: 1,
    alreadyApplied: false,
  };
}

function isStale({ base, found }: Target): boolean {
  return base !== undefined && base !== found?.token;
}

/** What speaks against the file as a whole: its version, and what `created` and `removed` ask of it. */
function wholeFileConflicts(
  target: Target,
  lines: TextLines,
  runs: LineRuns,
  misfits: readonly Misfit[],
): Conflict[] {
  const { file, path, found, created, removed } = target;
  const conflicts: Conflict[] = [];
  if (isStale(target)) {
    const token = found?.token;
    const fit = misfits.length === 0 && target.indices.length > 0;
    const advice = fit
      ? say`Its operations fit the text as it is now; to apply them to it, ${token === undefined ? say`leave it out of "base"` : say`send "base": ${showJson({ [file]: token })}`}.`
      : say`Read the file again and make the operations anew.`;
    conflicts.push({
      file,
      path,
      reason: "stale_base",
      ...(token === undefined ? {} : { token }),
      message:
        token === undefined
          ? say`the file has no version now; the patch was made for ${echo(target.base ?? "")}. ${advice}`
          : say`the file has version ${echo(token)} now; the patch was made for ${echo(target.base ?? "")}. ${advice}`,
    });
  }
  if (created && lines.count > 0)
    conflicts.push({
      file,
      path,
      reason: "old_mismatch",
      lines: lines.count,
      message: say`the patch creates the file, but it exists and has ${plural(lines.count, "line") as Shown}. Take it out of "created".`,
    });
  const left = removed && misfits.length === 0 ? linesLeft(lines, runs) : 0;
  if (left > 0)
    conflicts.push({
      file,
      path,
      reason: "old_mismatch",
      lines: left,
      message: say`the patch removes the file, but leaves ${plural(left, "line") as Shown} in it. Delete every line, or take it out of "removed".`,
    });
  return conflicts;
}

function linesLeft(lines: TextLines, runs: LineRuns): number {
  let left = lines.count;
  for (let run = 0; run < runs.count; run++) {
    left -= runs.removed(run);
    for (let text = runs.firstText(run); text < runs.firstText(run + 1); text++)
      left += countLinesOfNew(runs.text(text));
  }
  return left;
}

/** A file that is gone and shall be removed, or that was created with exactly this text: the patch has been here. */
function isDone(
  { found, created, removed }: Target,
  lines: TextLines,
  runs: LineRuns,
  indices: readonly number[],
  operations: readonly Operation[],
): boolean {
  if (removed) return found === undefined && indices.every((index) => operations[index]?.op === "delete");
  if (!created || found === undefined) return false;
  if (indices.length === 0) return lines.count === 0;
  if (lines.count === 0 || !indices.every((i) => operations[i]?.op === "insert" && operations[i].line === 1))
    return false;
  if (runs.count === 0) return false;
  const wanted = new ByteArena();
  writeRun(NO_LINES, runs, 0, wanted);
  return wanted.holds(lines.bytes, lines.start(1), lines.bytes.length);
}

function reportOf(check: Check): FileReport {
  const { target, lines, edit } = check;
  if (edit === undefined) return { ...blankReport(check), status: "already_applied" };
  const { splices, added, removed } = edit;
  if (target.removed && target.found !== undefined) {
    const all = target.found.bytes ?? NO_BYTES;
    const whole = all.length === 0 ? [] : [{ at: 0, remove: all.length, insert: NO_BYTES }];
    return { ...blankReport(check), status: "removed", splices: whole, removed, linesAfter: 0 };
  }
  const linesAfter = lines.count + added - removed;
  const isNew = target.found === undefined && (target.indices.length > 0 || target.created);
  const status: FileStatus = isNew ? "created" : splices.length > 0 ? "changed" : "unchanged";
  return { ...blankReport(check), status, splices, added, removed, linesAfter };
}

function refusedReport(check: Check): FileReport {
  const status = check.conflictCount > 0 ? "conflict" : check.alreadyApplied ? "already_applied" : "fits";
  return { ...blankReport(check), status };
}

function blankReport({ target: { file, path }, lines }: Check): Omit<FileReport, "status"> {
  const { count } = lines;
  return { file, path, splices: [], added: 0, removed: 0, linesBefore: count, linesAfter: count };
}
