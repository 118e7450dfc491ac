// Owns: what a session asks of folders outside that it is kept equal to. The folders themselves are the business of `host/`.

import type { WorkspacePath } from "../path/index.ts";
import type { Position } from "../store/journal.ts";
import type { Draft } from "./draft.ts";

/** What happened outside to the paths of a commit. */
export interface OutsideNotes {
  /** Changed outside too: both texts are in the history, and where both touched, the outside one is the state. */
  readonly diverged: readonly WorkspacePath[];
  /** Names that the folder's own ignore rules leave out: the file is there, and is tracked from now on. */
  readonly ignored: readonly WorkspacePath[];
  /** Not in the folder as they are in the session: the record is durable, and the folder is tried again. */
  readonly unplaced: readonly Unplaced[];
}

/** A path that the system did not write. */
export interface Unplaced {
  /** Where. */
  readonly path: WorkspacePath;
  /** Why: `not_permitted`, `no_space`, `host_failed`, or what kept the folder from being looked at. */
  readonly reason: string;
}

/** A folder that is part of the session. */
export interface OutsideFolder {
  /**
   * Imports what was changed outside of what a draft has read or is about to change. True: something was, and the run that made the
   * draft is to be repeated. Throws `conflict` for what is in the way outside.
   */
  refresh(draft: Draft): Promise<boolean>;
  /** Has the folder show a commit, and says what was met there. */
  settled(at: Position, draft: Draft): Promise<OutsideNotes>;
  /** Throws `conflict` for changes that would take the folder itself out of the session. */
  refuse(draft: Draft): void;
  /** The same for an undo of records, in a part of the workspace or all of it, before it is planned. */
  refuseUndo(records: readonly number[], scope: string | undefined): void;
}

/** The folders of a session; most have none. */
export class Outside {
  readonly #folders: OutsideFolder[] = [];

  get isEmpty(): boolean {
    return this.#folders.length === 0;
  }

  add(folder: OutsideFolder): void {
    this.#folders.push(folder);
  }

  async refresh(draft: Draft): Promise<boolean> {
    let isNewer = false;
    for (const folder of this.#folders) if (await folder.refresh(draft)) isNewer = true;
    return isNewer;
  }

  refuse(draft: Draft): void {
    for (const folder of this.#folders) folder.refuse(draft);
  }

  refuseUndo(records: readonly number[], scope: string | undefined): void {
    for (const folder of this.#folders) folder.refuseUndo(records, scope);
  }

  async settled(at: Position, draft: Draft): Promise<OutsideNotes | undefined> {
    const notes: OutsideNotes[] = [];
    for (const folder of this.#folders) notes.push(await folder.settled(at, draft));
    const diverged = notes.flatMap((one) => one.diverged);
    const ignored = notes.flatMap((one) => one.ignored);
    const unplaced = notes.flatMap((one) => one.unplaced);
    const isNone = diverged.length + ignored.length + unplaced.length === 0;
    return isNone ? undefined : { diverged, ignored, unplaced };
  }
}
