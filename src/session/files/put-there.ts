// Owns: because of which record a file is at its path.

import type { Journal } from "../../store/journal.ts";
import type { Pacer } from "../../text/steps.ts";
import { changesOf } from "../packed-changes.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { BATCH, changesByFile, earlierSteps, FILES_ASKED, plainChanges } from "./file-history.ts";
import type { FileEntry } from "./file-state.ts";

/** The record up to `head` that put each file where it is; none for a file of which that is pruned. */
export async function putThereBy(
  journal: Journal,
  files: readonly FileEntry[],
  head: number,
  pace: Pacer,
): Promise<ReadonlyMap<FileId, number>> {
  if (files.length > FILES_ASKED) return goBackTogether(journal, files, head, pace);
  const found = new Map<FileId, number>();
  for (const { id, path } of files)
    for await (const { record, changes = [] } of earlierSteps(journal, id, path, head)) {
      await pace.step();
      if (!putsThere(changes)) continue;
      found.set(id, record.seq);
      break;
    }
  return found;
}

async function goBackTogether(
  journal: Journal,
  files: readonly FileEntry[],
  head: number,
  pace: Pacer,
): Promise<ReadonlyMap<FileId, number>> {
  const found = new Map<FileId, number>();
  const left = new Set(files.map(({ id }) => id));
  const isLeft = (id: FileId): boolean => left.has(id);
  for (let upTo = head; left.size > 0;) {
    const records = await journal.records({ upTo, newestFirst: true, limit: BATCH });
    if (records.length === 0) break;
    for (const record of records) {
      upTo = record.seq - 1;
      // All that are older are pruned too.
      if (record.changes === undefined) return found;
      const byFile = await pace.run(changesByFile(await changesOf(journal, record), isLeft));
      for (const [id, changes] of byFile)
        if (putsThere(changes) && left.delete(id)) found.set(id, record.seq);
    }
  }
  return found;
}

function putsThere(changes: readonly FileChange[]): boolean {
  for (const { op } of plainChanges(changes)) if (op === "create" || op === "move") return true;
  return false;
}
