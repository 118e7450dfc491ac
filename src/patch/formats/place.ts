// Owns: edits of any format as one patch: every file is opened, every block placed in it, and what becomes of the file is
// written as operations on its original lines.
// Must never: guess. A block has one place, or the patch is refused with every problem it has.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { parsePath, type WorkspacePath } from "../../path/index.ts";
import { plural } from "../../text/plural.ts";
import { checkOptionNames, type OptionNames, checkArgument } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { linesOfUtf8, type TextLines } from "../../text/text-lines.ts";
import { nearestPath } from "../../path/nearest-path.ts";
import type { DiffFile } from "../_unified-parse.ts";
import { applyPatchSteps } from "../apply.ts";
import { findFile, type PatchFiles, checkFiles } from "../files.ts";
import type { ParsedPatch } from "../operation.ts";
import type { ParsePatchOptions } from "../parse.ts";
import { overlappingHunk, patchOfDiff } from "../unified-read.ts";
import { changedLinesSteps } from "./changed-lines.ts";
import { targetOf, type BlockLine, type EditBlock, type FileEdit } from "./edit.ts";
import { problemsError, SPELLED_OUT, type EditProblem } from "./edit-problems.ts";
import { elisionsIn } from "./elision.ts";
import type { ParsedEdits } from "./parse-edits.ts";
import { asWritten, elisionIn, isOpenEnded, linesIn, placeBlock, type EditNote } from "./place-block.ts";
import { WorkingFile } from "./working-file.ts";

/** Edits whose blocks have all found their place. */
export interface PlacedEdits {
  /** For `applyPatch` with the same files. */
  readonly patch: ParsedPatch;
  /** What was not exactly as it was written; empty when everything was. */
  readonly notes: readonly EditNote[];
}

/** What bounds a patch, and what helps to say what is wrong with one. */
export interface PlaceEditsOptions extends ParsePatchOptions {
  /** All files there are, for the guess at which one a wrong name means. */
  readonly existing?: () => Iterable<WorkspacePath>;
}

const OPTIONS: OptionNames<PlaceEditsOptions> = { limits: true, names: ["ascii", "unicode"], existing: true };

/**
 * Finds the place of every block in the files and returns the patch, with a note for each place that was not exact. `files` must
 * hold those that `edits.sources` names, as far as they exist. Throws `conflict` with every block that has no place or several,
 * `invalid_argument` for elisions and names that are no paths. Cost: linear in the files for each block.
 *
 * @example placeEdits(parseEdits("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n"), { "a.txt": "one\n" }).patch.operations
 * // [{ file: "a.txt", line: 1, op: "replace", old: "one", new: "1" }]
 */
export function placeEdits(
  edits: ParsedEdits,
  files: PatchFiles,
  options: PlaceEditsOptions = {},
): PlacedEdits {
  checkOptionNames(say`placeEdits`, options, OPTIONS);
  checkArgument(say`placeEdits: the edits`, edits, "object");
  checkFiles(say`placeEdits: the files`, files);
  return runNow(placeEditsSteps(edits, files, options));
}

/**
 * {@link placeEdits} in steps of a few milliseconds. The files must not change between steps.
 *
 * @example const { patch, notes } = await runPaced(placeEditsSteps(parseEdits(text), files));
 */
export function* placeEditsSteps(
  edits: ParsedEdits,
  files: PatchFiles,
  options: PlaceEditsOptions = {},
): Steps<PlacedEdits> {
  const placing = new Placing(files, options);
  const settled = edits.files.map((edit) => placing.withName(edit));
  const diff = edits.diff?.map((file, i) => ({ ...file, ...sidesOf(file, settled[i]) }));
  const exact =
    diff !== undefined && placing.isExact(settled, diff)
      ? patchOfDiff(diff, { ...options, files })
      : undefined;
  if (exact !== undefined && (yield* applyPatchSteps(files, exact, options)).ok)
    return { patch: exact, notes: [] };
  try {
    return yield* placing.place(settled, diff);
  } catch (error) {
    // A diff whose numbers are wrong and whose lines are nowhere: its operations say best what does not fit.
    if (exact !== undefined && HoldfastError.is(error) && placing.isMisfit)
      return { patch: exact, notes: [] };
    throw error;
  }
}

/** The names of a file of a diff, once it is known which of them is meant. */
function sidesOf(file: DiffFile, edit: FileEdit | undefined): Partial<DiffFile> {
  const isOne = !file.rename && !file.copy && !file.isNew && !file.isDeleted;
  return isOne && edit !== undefined ? { from: edit.file, to: edit.file } : {};
}

class Placing {
  readonly #files: PatchFiles;
  readonly #options: PlaceEditsOptions;
  readonly #problems: EditProblem[] = [];
  readonly #notes: EditNote[] = [];
  readonly #working: Map<WorkspacePath, WorkingFile> = new Map();
  readonly #cursors: Map<WorkspacePath, number> = new Map();
  readonly #diffs: Map<WorkspacePath, DiffFile> = new Map();
  /** Files that are there whole. */
  readonly #written: Set<WorkspacePath> = new Set();
  /** The names that files are moved or copied to. */
  readonly #targets: Set<WorkspacePath> = new Set();

  constructor(files: PatchFiles, options: PlaceEditsOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** The edit under the name that its file has. */
  withName(edit: FileEdit): FileEdit {
    const other = edit.action === "update" ? edit.otherName : undefined;
    if (other === undefined) return edit;
    const isOther = !this.#isThere(edit.file) && this.#isThere(other);
    return isOther ? { ...edit, file: other } : edit;
  }

  /**
   * Can the diff be taken by its numbers? Operations cannot tell lines of a new file from lines that are put into one, elisions from text,
   * a hunk that is there twice, or lines that came before: what is wrong with those is found by placing them.
   */
  isExact(edits: readonly FileEdit[], diff: readonly DiffFile[]): boolean {
    return (
      diff.every(({ hunks }) => hunks.every(({ start }) => start > 0)) &&
      overlappingHunk(diff) === undefined &&
      !edits.some(
        (edit) =>
          this.#isInTheWay(edit) ||
          (edit.action === "update" && edit.blocks.some(isOpenEnded)) ||
          linesOf(edit).some((lines) => elisionsIn(lines, edit.file).length > 0),
      )
    );
  }

  /** Is nothing wrong but that lines are nowhere? */
  get isMisfit(): boolean {
    return this.#problems.every(({ reason }) => reason === "old_mismatch");
  }

  /** Does the edit make a file where one with text is? */
  #isInTheWay(edit: FileEdit): boolean {
    const name = edit.action === "create" ? edit.file : targetOf(edit);
    return name !== undefined && this.#hasText(name);
  }

  *place(edits: readonly FileEdit[], diff: readonly DiffFile[] | undefined): Steps<PlacedEdits> {
    for (const edit of edits) {
      yield* this.#place(edit);
      yield;
    }
    if (this.#problems.length > 0) throw problemsError(this.#problems);
    for (const { from, to, modeChanged } of diff ?? []) {
      const placed = this.#diffs.get(this.#path(from ?? to ?? ""));
      if (placed !== undefined) placed.modeChanged ||= modeChanged;
    }
    for (const [path, file] of this.#working) {
      const diff = this.#diffs.get(path);
      if (diff !== undefined) diff.hunks.push(...file.hunks(diff.at));
    }
    const patch = patchOfDiff([...this.#diffs.values()], {
      ...this.#options,
      files: this.#files,
      context: "drop",
    });
    return { patch, notes: this.#notes };
  }

  *#place(edit: FileEdit): Steps<void> {
    const path = this.#path(edit.file);
    if (edit.mayBeWords === true && !this.#isThere(edit.file)) {
      this.#refuse(
        edit,
        "not_found",
        say`there is no such file, and a name with blanks may be words. Put the path alone on its line, or a new one with blanks in backticks.`,
      );
      return;
    }
    const file = yield* this.#open(edit, path);
    if (file === undefined) return;
    const diff = this.#diff(edit, path);
    if (diff.isDeleted && edit.action !== "create") {
      this.#refuse(edit, "not_found", say`the patch removes the file above this. Leave one of the two out.`);
      return;
    }
    const goes = edit.action === "remove" || (edit.action === "update" && edit.isRemoval === true);
    if (goes && diff.isNew) {
      this.#refuse(edit, "ambiguous", say`the patch adds this file above. Leave both out.`);
      return;
    }
    if (edit.action === "update") {
      for (const block of edit.blocks) {
        yield* this.#block(edit.file, path, file, block);
        yield;
      }
      if (edit.isRemoval === true) diff.isDeleted = true;
      if (edit.to === undefined) return;
      const target = this.#path(edit.to);
      if (target === path) {
        this.#refuse(
          edit,
          "file_exists",
          say`${echo(edit.to)}, the name it is to get, is the one it has. Leave the line that moves it out.`,
        );
        return;
      }
      if (this.#hasText(edit.to) || this.#targets.has(target)) {
        this.#refuse(
          edit,
          "file_exists",
          say`${echo(edit.to)}, the name it is to get, is taken by another file. Choose another name, or remove that file first, in a call of its own.`,
        );
        return;
      }
      this.#targets.add(target);
      [diff.to, diff.rename, diff.copy] = [edit.to, edit.isCopy !== true, edit.isCopy === true];
      return;
    }
    if (edit.action === "remove") {
      diff.isDeleted = true;
      file.change(0, linesIn(file, "-"), asWritten);
      return;
    }
    if (edit.action === "create" && this.#targets.has(path)) {
      this.#refuse(edit, "file_exists", say`another file of this patch gets the same name. Choose another.`);
      return;
    }
    if (edit.action === "create" && file.count > 0) {
      this.#refuse(
        edit,
        "file_exists",
        say`the file exists and has ${plural(file.count, "line") as Shown}. Change it by its lines instead, or delete it first.`,
      );
      return;
    }
    if (edit.action === "write" && this.#written.has(path)) {
      this.#refuse(edit, "ambiguous", say`the file is in the patch twice. Send it once, as it is to be.`);
      return;
    }
    this.#written.add(path);
    diff.isDeleted = false;
    const elision = elisionIn(edit.lines.map(asNew), edit.file, file);
    if (elision !== undefined) {
      this.#refuse(edit, elision.reason, elision.message);
      return;
    }
    const old = linesIn(file, " ").map(({ text }) => text);
    file.change(0, yield* changedLinesSteps(old, edit.lines), asWritten);
  }

  *#block(name: string, path: WorkspacePath, file: WorkingFile, block: EditBlock): Steps<void> {
    // What is near is not looked for once nobody reads it.
    const isBrief = this.#problems.length >= SPELLED_OUT;
    const placed = yield* placeBlock(file, name, block, this.#cursors.get(path) ?? 0, isBrief);
    if ("reason" in placed) {
      this.#refuse({ at: block.at, file: name }, placed.reason, placed.message);
      return;
    }
    this.#cursors.set(path, placed.end);
    if (placed.note !== undefined) this.#notes.push(placed.note);
  }

  *#open(edit: FileEdit, path: WorkspacePath): Steps<WorkingFile | undefined> {
    const opened = this.#working.get(path);
    if (opened !== undefined) return opened;
    const found = findFile(this.#files, path, edit.file);
    if (found === undefined && edit.action === "update" && this.#targets.has(path)) {
      this.#refuse(
        edit,
        "not_found",
        say`the patch gives this name to another file. Write the changes below the line that does.`,
      );
      return undefined;
    }
    if (found === undefined && (edit.action === "update" || edit.action === "remove") && !isCreation(edit)) {
      const near = nearestPath(path, this.#options.existing?.() ?? []);
      this.#refuse(
        edit,
        "not_found",
        near === undefined
          ? say`there is no such file.`
          : say`there is no such file; the nearest name is ${echo(near, 400)}.`,
      );
      return undefined;
    }
    const maxLines = (this.#options.limits ?? DEFAULT_LIMITS).patchLines;
    const lines = yield* linesOfUtf8(found?.bytes ?? new Uint8Array(0), maxLines);
    if (typeof lines === "string") {
      this.#refuse(
        edit,
        lines,
        lines === "binary"
          ? say`the file is not text, and a patch changes lines of text only. Leave it out, and write or delete the file as a whole.`
          : say`the file has more than ${maxLines} lines.`,
      );
      return undefined;
    }
    const file = new WorkingFile(lines satisfies TextLines);
    this.#working.set(path, file);
    const diff = this.#diff(edit, path);
    diff.isNew = found === undefined;
    return file;
  }

  #diff(edit: FileEdit, path: WorkspacePath): DiffFile {
    let diff = this.#diffs.get(path);
    if (diff === undefined) {
      const flags = { rename: false, copy: false, isNew: false, isDeleted: false, modeChanged: false };
      diff = { at: edit.at, from: edit.file, to: edit.file, ...flags, hunks: [] };
      this.#diffs.set(path, diff);
    }
    return diff;
  }

  #isThere(name: string): boolean {
    const path = this.#path(name);
    return this.#working.has(path) || findFile(this.#files, path, name) !== undefined;
  }

  /** Is there text under the name, before the patch or by what it did so far? */
  #hasText(name: string): boolean {
    const path = this.#path(name);
    const found = findFile(this.#files, path, name);
    return (found !== undefined && found.bytes?.length !== 0) || (this.#working.get(path)?.count ?? 0) > 0;
  }

  #path(name: string): WorkspacePath {
    const { limits = DEFAULT_LIMITS, names = "ascii" } = this.#options;
    return parsePath(name, { limits, names, kind: "file" });
  }

  #refuse(
    { at, file }: { readonly at: number; readonly file: string },
    reason: EditProblem["reason"],
    message: Shown,
  ): void {
    this.#problems.push({ at, file: echo(file), reason, message });
  }
}

function asNew(text: string): BlockLine {
  return { kind: "+", text };
}

/** The lines of the edit, adjacent ones together. */
function linesOf(edit: FileEdit): (readonly BlockLine[])[] {
  if (edit.action === "update") return edit.blocks.map(({ lines }) => lines);
  return edit.action === "remove" ? [] : [edit.lines.map(asNew)];
}

/** Blocks that only bring lines can make a file. */
function isCreation(edit: FileEdit): boolean {
  return (
    edit.action === "update" &&
    edit.blocks.length > 0 &&
    edit.blocks.every(({ lines }) => lines.every(({ kind }) => kind === "+"))
  );
}
