// Owns: what taking records back comes to in several files at once: each finds its name free, or is refused.

import type { WorkspacePath } from "../../path/index.ts";
import { EXTENTS, removedBy, type Splice } from "../../text/index.ts";
import { spliceContent, type ContentSplice } from "../content.ts";
import type { SliceUndo, Stamp, UndoRefusal } from "../slice.ts";
import { applyFileChange, refuseFileChange } from "./apply-file-change.ts";
import type { FileChange, FileId } from "./file-change.ts";
import type { FileFacts } from "./file-facts.ts";
import { fileKey } from "./file-keys.ts";
import { obstacles, occupant, type FilesState } from "./file-state.ts";

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
  readonly splices: readonly Splice<ContentSplice["insert"]>[];
}

interface Pending {
  readonly undo: FileUndo;
  readonly changes: readonly FileChange[];
}

/** Puts the changes of several files into an order in which each finds its path free. Names are judged when all are made. */
export class NamePlanner {
  readonly #stamp: Stamp;
  readonly #made: FileChange[] = [];
  /** The files that come to their path. */
  readonly #coming = new Map<WorkspacePath, FileUndo>();
  #pending: Pending[] = [];
  #state: FilesState;

  constructor(state: FilesState, stamp: Stamp) {
    this.#state = state;
    this.#stamp = stamp;
  }

  add(undo: FileUndo): void {
    const { now, after } = undo;
    this.#pending.push({ undo, changes: changesOf(undo) });
    if (after.exists && !(now.exists && now.path === after.path))
      this.#coming.set(after.path as WorkspacePath, undo);
  }

  run(): Pick<SliceUndo<FileChange>, "changes" | "refused"> {
    while (this.#pending.length > 0) {
      const left = this.#pending.filter((one) => !this.#make(one));
      if (left.length === this.#pending.length && !this.#breakCircle())
        return { changes: [], refused: this.#refusals() };
      if (left.length < this.#pending.length) this.#pending = left;
    }
    const refused = this.#refusedNames();
    return { changes: refused.length > 0 ? [] : this.#made, refused };
  }

  #make({ undo: { id, now, undone }, changes }: Pending): boolean {
    const revert: FileChange = { slice: "files", op: "revert", id, path: now.path, undoes: undone, changes };
    if (refuseFileChange(this.#state, revert, occupant).length > 0) return false;
    this.#state = applyFileChange(this.#state, revert, this.#stamp);
    this.#made.push(revert);
    return true;
  }

  /** Files that only change names with each other: one of them goes, and comes back when its name is free. */
  #breakCircle(): boolean {
    const at = this.#pending.findIndex(({ changes }) => changes[0]?.op === "move");
    const [one] = at < 0 ? [] : this.#pending.splice(at, 1);
    if (one === undefined) return false;
    const { undo } = one;
    if (!this.#make({ undo, changes: [deletion(undo)] })) return false;
    this.#pending.push({ undo, changes: [creation(undo)] });
    return true;
  }

  #refusedNames(): UndoRefusal[] {
    const come = [...this.#coming.keys()];
    return obstacles(this.#state, come, come).flatMap(({ path, ...found }) =>
      (this.#coming.get(path)?.undone ?? []).map((seq) => ({
        seq,
        refusal: { key: fileKey(path), code: "conflict", ...found },
      })),
    );
  }

  #refusals(): UndoRefusal[] {
    return this.#pending.flatMap(({ undo: { undone }, changes }) =>
      undone.flatMap((seq) =>
        changes
          .flatMap((change) => refuseFileChange(this.#state, change))
          .slice(0, 1)
          .map((refusal) => ({ seq, refusal })),
      ),
    );
  }
}

/** What one file changes. */
function changesOf(undo: FileUndo): FileChange[] {
  const { id, now, after, splices } = undo;
  if (!now.exists && !after.exists) return [];
  if (!after.exists) return [deletion(undo)];
  if (!now.exists) return [creation(undo)];
  const { path } = after;
  const changes: FileChange[] = [];
  if (path !== now.path) changes.push({ slice: "files", op: "move", id, path: now.path, to: path });
  if (after.encoding !== now.encoding || after.executable !== now.executable)
    changes.push({ slice: "files", op: "replace", id, path, before: bodyOf(now), after: bodyAfter(undo) });
  else if (splices.length > 0)
    changes.push({
      slice: "files",
      op: "splice",
      id,
      path,
      splices,
      removed: removedBy(now.content.extents, splices, EXTENTS),
    });
  return changes;
}

function deletion({ id, now }: FileUndo): FileChange {
  return { slice: "files", op: "delete", id, path: now.path, body: bodyOf(now), created: now.created };
}

function creation(undo: FileUndo): FileChange {
  const { id, now, after } = undo;
  const { path, created } = after;
  const from = now.path === path ? {} : { from: now.path };
  return { slice: "files", op: "create", id, path, ...from, body: bodyAfter(undo), created };
}

function bodyOf({ content, encoding, executable }: FileFacts) {
  return { content, encoding, executable };
}

function bodyAfter({ now, after: { encoding, executable }, splices }: FileUndo) {
  return { content: spliceContent(now.content, splices), encoding, executable };
}
