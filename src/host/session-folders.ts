// Owns: what a host asks of the mounted folders of one session once they are mounted.

import { comparePaths, type WorkspacePath } from "../path/index.ts";
import type { Actor } from "../session/actor.ts";
import { foldersIn } from "../session/folders/folders-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import { FolderReader, type OutsideScan } from "./_folder-reader.ts";
import type { ResolvedMount } from "./mount.ts";
import { refresh, type RefreshReport, type RefreshRequest } from "./refresh.ts";

/** A file of a mounted folder that is not what was mounted, refreshed or landed last. */
export interface OutsideChange {
  /** Where it is, or would be, in the workspace. */
  readonly path: WorkspacePath;
  /** `unreadable`: something is there that is no regular file, or that the system does not let be read. */
  readonly change: "created" | "changed" | "deleted" | "unreadable";
}

export function outsideChangesOf({ changed, created, deleted, unreadable }: OutsideScan): OutsideChange[] {
  const named = (
    files: readonly { readonly path: WorkspacePath }[],
    change: OutsideChange["change"],
  ): OutsideChange[] => files.map(({ path }) => ({ path, change }));
  return [
    ...named(created, "created"),
    ...named(changed, "changed"),
    ...named(deleted, "deleted"),
    ...named(unreadable, "unreadable"),
  ].sort((a, b) => comparePaths(a.path, b.path));
}

export class SessionFolders {
  readonly #core: SessionCore;
  readonly #actor: Actor;
  readonly #reader: FolderReader;

  constructor(core: SessionCore, actor: Actor, mounts: readonly ResolvedMount[]) {
    this.#core = core;
    this.#actor = actor;
    this.#reader = new FolderReader(core, mounts);
  }

  /** Brings in what changed in the folders. */
  refresh(request: RefreshRequest): Promise<RefreshReport> {
    return refresh(this.#core, this.#actor, this.#reader, request);
  }

  /** What changed in the folders since, in path order. Writes nothing. */
  async outsideChanges(): Promise<OutsideChange[]> {
    const state = await this.#core.timeline.catchUp();
    return outsideChangesOf(await this.#reader.scan(foldersIn(state)));
  }
}
