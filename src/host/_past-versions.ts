// Owns: what the session has had at a path, record by record.

import type { WorkspacePath } from "../path/index.ts";
import type { FileBody } from "../session/files/file-change.ts";
import { fileKey } from "../session/files/file-keys.ts";
import { fileAt, type FileEntry, type FilesState } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";

/** What a path held after each record of `range` that touched it, newest first; undefined: nothing. */
export async function versionsAt(
  { journal, timeline }: SessionCore,
  path: WorkspacePath,
  range: { readonly after?: number; readonly upTo?: number; readonly limit: number },
): Promise<(FileEntry | undefined)[]> {
  const records = await journal.records({ ...range, key: fileKey(path), newestFirst: true });
  const found: (FileEntry | undefined)[] = [];
  for (const record of records) found.push(fileAt(filesIn(await timeline.past(record)), path));
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
