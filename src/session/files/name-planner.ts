// Owns: what taking records back comes to in several files at once: each finds its name free, or is refused.

import type { WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";
import type { Splice } from "../../text/index.ts";
import type { Steps } from "../../text/steps.ts";
import { spliceContent, type ContentSplice } from "../content.ts";
import type { Refusal, SliceUndo, Stamp, UndoRefusal } from "../slice.ts";
import { applyFileChange, refuseFileChange } from "./apply-file-change.ts";
import type { FileChange, FileId } from "./file-change.ts";
import type { FileFacts } from "./file-facts.ts";
import { fileKey, nameKey } from "./file-keys.ts";
import { obstaclesSteps, occupant, type FilesState } from "./file-state.ts";
import { bodyChanges, creationOf, deletionOf, moveOf } from "./make-change.ts";

/** What taking records back comes to in one file. */
export interface FileUndo {
  readonly id: FileId;
  readonly now: FileFacts;
  /** The records that it takes back here. */
  readonly undone: readonly number[];
  readonly refused: readonly UndoRefusal[];
  readonly gone: SliceUndo<FileChange>["gone"];
  /** What the file is then, and how its text gets there. */
  readonly after: Omit<FileFacts, "content">;
  /** The record that put it where it is then, if that is one after `base`. */
  readonly putBy: number | undefined;
  /** The last record before those that were looked at. */
  readonly base: number;
  readonly splices: readonly Splice<ContentSplice["insert"]>[];
}

/** A name that a file of an undo cannot have. */
export interface TakenName {
  readonly id: FileId;
  readonly path: WorkspacePath;
  /** The records that would bring the file there. */
  readonly undone: readonly number[];
  readonly refusal: Refusal;
}

interface Pending {
  readonly undo: FileUndo;
  readonly changes: readonly FileChange[];
}

/** Puts the changes of several files into an order in which each finds its path free. Names are judged when all are made. */
export function* planNamesSteps(
  state: FilesState,
  stamp: Stamp,
  undos: readonly FileUndo[],
): Steps<{ readonly changes: readonly FileChange[]; readonly taken: readonly TakenName[] }> {
  const planner = new NamePlanner(state, stamp);
  const pending: Pending[] = [];
  for (const undo of undos) {
    pending.push({ undo, changes: changesOf(undo) });
    yield;
  }
  yield* planner.makeSteps(pending);
  yield* planner.breakCirclesSteps();
  const taken = planner.isStuck ? yield* planner.takenNowSteps() : yield* planner.takenThenSteps(undos);
  return { changes: planner.isStuck || taken.length > 0 ? [] : planner.made, taken };
}

class NamePlanner {
  readonly made: FileChange[] = [];
  readonly #stamp: Stamp;
  /** Files whose name another file has, by that name. */
  readonly #waiting = new Map<Key, Pending[]>();
  #state: FilesState;

  constructor(state: FilesState, stamp: Stamp) {
    this.#state = state;
    this.#stamp = stamp;
  }

  /** Makes what can be made, and then what waits for a name that became free; the others wait. */
  *makeSteps(pending: Pending[]): Steps<void> {
    // The list grows while it is gone through.
    for (const one of pending) {
      const { now, after } = one.undo;
      if (this.#make(one)) pending.push(...this.#take(nameOf(now)));
      else this.#wait(nameOf(after), one);
      yield;
    }
  }

  /** Files that only change names with each other: one of them goes, and comes back when its name is free. */
  *breakCirclesSteps(): Steps<void> {
    // What comes to wait meanwhile is gone through too.
    for (const [name, list] of this.#waiting) {
      const moves = list.filter(isMove);
      this.#waiting.set(
        name,
        list.map((one) => (isMove(one) ? { undo: one.undo, changes: [creation(one.undo)] } : one)),
      );
      yield* this.makeSteps(moves.map(({ undo }) => ({ undo, changes: [deletion(undo)] })));
    }
  }

  get isStuck(): boolean {
    return this.#waiting.size > 0;
  }

  #make({ undo: { id, now, undone }, changes }: Pending): boolean {
    const revert: FileChange = { slice: "files", op: "revert", id, path: now.path, undoes: undone, changes };
    if (refuseFileChange(this.#state, revert, occupant).length > 0) return false;
    this.#state = applyFileChange(this.#state, revert, this.#stamp);
    this.made.push(revert);
    return true;
  }

  #wait(name: Key, one: Pending): void {
    const list = this.#waiting.get(name);
    if (list === undefined) this.#waiting.set(name, [one]);
    else list.push(one);
  }

  /** Those that have waited for a name. */
  #take(name: Key): readonly Pending[] {
    const list = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    return list;
  }

  /** Names that are in each other's way when all changes are made. */
  *takenThenSteps(undos: readonly FileUndo[]): Steps<TakenName[]> {
    const coming = new Map<WorkspacePath, FileUndo>();
    for (const undo of undos) {
      const { now, after } = undo;
      if (after.exists && !(now.exists && now.path === after.path))
        coming.set(after.path as WorkspacePath, undo);
    }
    const found = yield* obstaclesSteps(this.#state, coming.keys(), coming.keys());
    return found.map(({ path, ...obstacle }) => ({
      path,
      id: coming.get(path)?.id ?? "",
      undone: coming.get(path)?.undone ?? [],
      refusal: { key: fileKey(path), code: "conflict", ...obstacle },
    }));
  }

  /** What keeps the files that still wait from their names. */
  *takenNowSteps(): Steps<TakenName[]> {
    const taken: TakenName[] = [];
    for (const { undo, changes } of [...this.#waiting.values()].flat()) {
      const path = undo.after.path as WorkspacePath;
      const [refusal] = changes.flatMap((change) => refuseFileChange(this.#state, change, occupant));
      if (refusal !== undefined) taken.push({ id: undo.id, path, undone: undo.undone, refusal });
      yield;
    }
    return taken;
  }
}

function nameOf({ path }: Pick<FileFacts, "path">): Key {
  return nameKey(path as WorkspacePath);
}

function isMove({ changes: [first] }: Pending): boolean {
  return first?.op === "move";
}

/** What one file changes. */
function changesOf(undo: FileUndo): FileChange[] {
  const { id, now, after, splices } = undo;
  if (!now.exists && !after.exists) return [];
  if (!after.exists) return [deletion(undo)];
  if (!now.exists) return [creation(undo)];
  const file = { ...now, id, path: after.path };
  const moves = after.path === now.path ? [] : [moveOf({ id, path: now.path }, after.path)];
  return [...moves, ...bodyChanges(file, splices, after)];
}

function deletion({ id, now }: FileUndo): FileChange {
  return deletionOf({ ...now, id });
}

function creation({ id, now, after, splices }: FileUndo): FileChange {
  return creationOf({ ...after, id, content: spliceContent(now.content, splices) }, now.path);
}
