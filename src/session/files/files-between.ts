// Owns: what differs between two states of the files, as changes that lead from one to the other, and as a list.

import type { Shown } from "../../errors.ts";
import { isUnder, ROOT, type WorkspacePath } from "../../path/index.ts";
import { areSameExtents } from "../../text/spliceable.ts";
import type { Journal } from "../../store/journal.ts";
import type { Pacer, Steps } from "../../text/steps.ts";
import { graftSteps, type EntryChange } from "../sorted-map.ts";
import type { SliceDiff } from "../slice.ts";
import { newFileId, type FileChange, type FileId } from "./file-change.ts";
import { lastPlaces, type FileAt } from "./file-history.ts";
import { pathOfKey, type FileEntry, type FilesState } from "./file-state.ts";
import { creationOf, deletionOf, replacementOf } from "./make-change.ts";

/** Files that differ between two states, in order, with pauses (`undefined`). The cost follows the number of differences. */
export function* fileChangesBetween(
  from: FilesState,
  to: FilesState,
  scope: string = ROOT,
): Generator<EntryChange<FileEntry> | undefined, void, undefined> {
  for (const change of from.files.changesToSteps(to.files)) {
    yield undefined;
    if (change !== undefined && isFileChange(change, scope)) yield change;
  }
}

/** The same as a list. */
export async function listFileChanges(
  from: FilesState,
  to: FilesState,
  scope: string,
  pace: Pacer,
): Promise<EntryChange<FileEntry>[]> {
  const found: EntryChange<FileEntry>[] = [];
  for (const change of fileChangesBetween(from, to, scope)) {
    if (change !== undefined) found.push(change);
    await pace.step();
  }
  return found;
}

/** Whether entries that differ differ in what callers see of the file. */
function isFileChange({ before, after }: EntryChange<FileEntry>, scope: string): boolean {
  const path = (before ?? after)?.path;
  if (path === undefined || !isUnder(path, scope as WorkspacePath)) return false;
  return before === undefined || after === undefined || !sameBody(before, after);
}

/**
 * Changes that lead from one state to another, with pauses (`undefined`). Deletions come first, so that a name freed by one
 * can be taken by another. A file that is elsewhere in the two states is deleted and created again under its id; if it is
 * outside `scope`, a directory or a set of files, it stays there, and a fresh one comes in its place. With `seq`, the record after which the files were as in
 * `to`, the changes are reverts where they make a file what it was then.
 */
export function* changesBetween(
  from: FilesState,
  to: FilesState,
  scope: string | ReadonlySet<WorkspacePath> = ROOT,
  seq?: number,
): Generator<FileChange | undefined, void, undefined> {
  const places = new Places();
  yield* places.compare(from, to);
  yield* changesTo(places, scope, seq);
}

/** The same for a restore to record `seq`. Where a file died is read in the journal if no grave says it any more. */
export async function* restoringChanges(
  from: FilesState,
  to: FilesState,
  seq: number,
  scope: string | undefined,
  journal: Journal,
): AsyncGenerator<FileChange | undefined, void, undefined> {
  const places = new Places();
  yield* places.compare(from, to);
  const forgotten = new Map<FileId, FileAt>();
  for (const { before, after } of places.differing)
    if (after !== undefined && before?.id !== after.id && places.last(after.id) === undefined)
      forgotten.set(after.id, { path: after.path, from: seq + 1 });
  for (const [id, at] of await lastPlaces(journal, forgotten)) places.bury(id, at);
  yield* changesTo(places, scope, seq);
}

function* changesTo(
  places: Places,
  scope: string | ReadonlySet<WorkspacePath> = ROOT,
  seq?: number,
): Generator<FileChange | undefined, void, undefined> {
  const isIn = (path: WorkspacePath): boolean =>
    typeof scope === "string" ? isUnder(path, scope as WorkspacePath) : scope.has(path);
  const isInside = (path: WorkspacePath | undefined): boolean => path === undefined || isIn(path);
  const restoring = (change: FileChange, isWhole = true): FileChange =>
    seq === undefined || !isWhole ? change : revert(change, seq);
  const inside = places.differing.filter(({ before, after }) => isInside((before ?? after)?.path));
  for (const { before, after } of inside)
    if (before !== undefined && before.id !== after?.id)
      yield restoring(deletionOf(before), isInside(places.later(before.id)));
  for (const { before, after } of inside) {
    yield undefined;
    if (after === undefined) continue;
    if (before?.id === after.id) {
      if (!sameBody(before, after)) yield restoring(replacementOf(before, after));
    } else if (isInside(places.now(after.id))) yield restoring(creationOf(after, places.last(after.id)));
    else yield creationOf({ ...after, id: newFileId() });
  }
}

/** What differs between two states, and where files are in them whose paths have changed hands. */
class Places {
  readonly differing: EntryChange<FileEntry>[] = [];
  readonly #now = new Map<FileId, WorkspacePath>();
  readonly #later = new Map<FileId, WorkspacePath>();
  readonly #buried = new Map<FileId, WorkspacePath>();

  *compare(from: FilesState, to: FilesState): Steps<void> {
    for (const change of from.files.changesToSteps(to.files)) {
      yield;
      if (change !== undefined) this.#note(change);
    }
    for (const grave of from.graves.changesToSteps(to.graves)) {
      yield;
      const id = grave?.before?.id;
      if (grave !== undefined && id != null) this.bury(id, pathOfKey(grave.key));
    }
  }

  #note(change: EntryChange<FileEntry>): void {
    this.differing.push(change);
    const { before, after } = change;
    if (before?.id === after?.id) return;
    if (before !== undefined) this.#now.set(before.id, before.path);
    if (after !== undefined) this.#later.set(after.id, after.path);
  }

  /** A file that does not live in the first state was last at `path`. */
  bury(id: FileId, path: WorkspacePath): void {
    this.#buried.set(id, path);
  }

  /** Where a file is in the first state, if it lives there. */
  now(id: FileId): WorkspacePath | undefined {
    return this.#now.get(id);
  }

  /** Where it is in the second. */
  later(id: FileId): WorkspacePath | undefined {
    return this.#later.get(id);
  }

  /** Where it is or was last in the first state. */
  last(id: FileId): WorkspacePath | undefined {
    return this.#now.get(id) ?? this.#buried.get(id);
  }
}

function revert(change: FileChange, seq: number): FileChange {
  const { id, path } = change;
  return { slice: "files", op: "revert", id, path, restores: seq, changes: [change] };
}

/** The same state, sharing with `onto` what is equal. */
export function* graftFilesSteps(state: FilesState, onto: FilesState): Steps<FilesState> {
  return {
    files: yield* graftSteps(state.files, onto.files, isSameEntry),
    folds: yield* graftSteps(state.folds, onto.folds, (a, b) => a === b),
    graves: yield* graftSteps(state.graves, onto.graves, (a, b) => a.version === b.version && a.id === b.id),
  };
}

/** One record made both, and neither has been rewritten since. */
function isSameEntry(a: FileEntry, b: FileEntry): boolean {
  if (a.at.seq !== b.at.seq || a.at.hash !== b.at.hash || a.version !== b.version || a.dead !== b.dead)
    return false;
  return sameExtents(a, b);
}

function sameExtents({ content: a }: FileEntry, { content: b }: FileEntry): boolean {
  return areSameExtents(a.extents, b.extents);
}

/** Whether two entries surely hold the same: one record made both, or all is equal and the bytes are stored in one place. */
function sameBody(a: FileEntry, b: FileEntry): boolean {
  if (a.encoding !== b.encoding || a.executable !== b.executable || a.content.size !== b.content.size)
    return false;
  if (a.content === b.content || (a.at.hash === b.at.hash && a.at.seq === b.at.seq)) return true;
  return sameExtents(a, b);
}

export function diffFiles(from: FilesState, to: FilesState, scope: string = ROOT): SliceDiff {
  const lists = { added: [] as Shown[], changed: [] as Shown[], removed: [] as Shown[] };
  for (const change of fileChangesBetween(from, to, scope)) {
    if (change === undefined) continue;
    const { before, after } = change;
    const list = before === undefined ? lists.added : after === undefined ? lists.removed : lists.changed;
    list.push(((before ?? after) as FileEntry).path);
  }
  return lists;
}
