// Owns: what was done to the file at a path of the present before it was moved there.

import type { WorkspacePath } from "../../path/index.ts";
import type { Journal } from "../../store/journal.ts";
import type { SessionState } from "../state.ts";
import { earlierSteps } from "./file-history.ts";
import { fileKey } from "./file-keys.ts";
import { fileAt, type FileEntry, type FilesState } from "./file-state.ts";

/** The file at a path in a state. */
export function fileIn({ slices }: SessionState, path: WorkspacePath): FileEntry | undefined {
  return fileAt(slices.get("files") as FilesState, path);
}

/** The records after `after` that changed the file which is at `path` now while it had other names. */
export async function formerRecords(
  journal: Journal,
  now: SessionState,
  path: WorkspacePath,
  after = 0,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const file = fileIn(now, path);
  if (file === undefined) return found;
  const key = fileKey(path);
  for await (const { record, changes } of earlierSteps(journal, file.id, path, now.at.seq)) {
    if (changes === undefined || record.seq <= after) break;
    if (!record.keys.includes(key)) found.add(record.seq);
  }
  return found;
}
