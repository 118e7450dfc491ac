// Owns: what the session has had at a path, record by record.

import type { WorkspacePath } from "../path/index.ts";
import type { FileBody, FileChange } from "../session/files/file-change.ts";
import { fileKey } from "../session/files/file-keys.ts";
import { fileAt, type FilesState } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { changesOf } from "../session/packed-changes.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";

/** What a path held after each record of `range` that touched it, or only within it, newest first; undefined: nothing. */
export async function versionsAt(
  { journal, timeline }: SessionCore,
  path: WorkspacePath,
  range: { readonly after?: number; readonly upTo?: number; readonly limit: number },
): Promise<(FileBody | undefined)[]> {
  const records = await journal.records({ ...range, key: fileKey(path), newestFirst: true });
  const found: (FileBody | undefined)[] = [];
  for (const record of records) {
    const entry = fileAt(filesIn(await timeline.past(record)), path);
    found.push(entry);
    // A file that a sync drops beside another of its name in another case comes and goes in one record.
    if (entry === undefined && record.kind === "import" && record.changes !== undefined)
      for (const change of (await changesOf(journal, record)) as readonly FileChange[])
        if (change.slice === "files" && change.op === "create" && change.path === path)
          found.push(change.body);
  }
  return found;
}

export function filesIn(state: SessionState): FilesState {
  return state.slices.get(filesSlice.name) as FilesState;
}

/** The same bytes in the same blobs, as executable; or nothing twice. */
export function isSameVersion(a: FileBody | undefined, b: FileBody | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  if (a.executable !== b.executable || a.content.size !== b.content.size) return false;
  return a.content === b.content || JSON.stringify(a.content.extents) === JSON.stringify(b.content.extents);
}
