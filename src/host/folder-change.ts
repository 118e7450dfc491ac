// Owns: what changed in the mounted folders, as hosts see it.

import { comparePaths, type WorkspacePath } from "../path/index.ts";
import type { OutsideScan } from "./_folder-reader.ts";

/** A file of a mounted folder that is not what was mounted, refreshed or landed last. */
export interface FolderChange {
  /** Where it is, or would be, in the workspace. */
  readonly path: WorkspacePath;
  /**
   * `unreadable`: something is there that is no regular file, that the system does not let be read, or that the session has no place for
   * because its name differs only in case from that of another file of the folder.
   */
  readonly change: "created" | "changed" | "deleted" | "unreadable";
}

export function folderChangesOf({ changed, created, deleted, unreadable }: OutsideScan): FolderChange[] {
  const named = (
    files: readonly { readonly path: WorkspacePath }[],
    change: FolderChange["change"],
  ): FolderChange[] => files.map(({ path }) => ({ path, change }));
  return [
    ...named(created, "created"),
    ...named(changed, "changed"),
    ...named(deleted, "deleted"),
    ...named(unreadable, "unreadable"),
  ].sort((a, b) => comparePaths(a.path, b.path));
}
