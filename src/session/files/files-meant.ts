// Owns: which files a path means where the past is asked about it: by undo, and by the diff of a record.

import { isUnder, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Pacer } from "../../text/steps.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { pathsChanged } from "./file-history.ts";
import { fileAt, idsAtOrUnder, type FilesState } from "./file-state.ts";

/**
 * The files that are at or under a path now, or were deleted there. A path that a file had earlier means it too, where no file is
 * now.
 */
export class FilesMeant {
  readonly scope: WorkspacePath;
  readonly #state: FilesState;
  readonly #ids: ReadonlySet<FileId>;

  private constructor(state: FilesState, scope: WorkspacePath, ids: ReadonlySet<FileId>) {
    this.#state = state;
    this.scope = scope;
    this.#ids = ids;
  }

  static async by(state: FilesState, scope: WorkspacePath, pace: Pacer): Promise<FilesMeant> {
    const ids = scope === ROOT ? [] : await pace.map(idsAtOrUnder(state, scope), (id) => id);
    return new FilesMeant(state, scope, new Set(ids));
  }

  /** Whether a file is meant that had these paths at the time in question. */
  has(id: FileId, paths: Iterable<string>): boolean {
    if (this.scope === ROOT || this.#ids.has(id)) return true;
    for (const path of paths as Iterable<WorkspacePath>)
      if (isUnder(path, this.scope) && fileAt(this.#state, path) === undefined) return true;
    return false;
  }
}

/** Where a file was when changes of one record were made to it. */
export function* pathsOf(changes: readonly FileChange[]): Generator<string, void, undefined> {
  for (const { path } of changes) yield path;
  yield* pathsChanged(changes);
}
