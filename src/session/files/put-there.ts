// Owns: because of which record a file is at its path.

import type { Journal } from "../../store/journal.ts";
import type { Pacer } from "../../text/steps.ts";
import { changesOf } from "../packed-changes.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { BATCH, changesByFile, earlierSteps, FILES_ASKED, plainChanges } from "./file-history.ts";

/** A file that is at `path` after record `upTo`. */
export interface PlacedFile {
  readonly id: FileId;
  readonly path: string;
  readonly upTo: number;
}

/** The record that put each file where it is; none for a file of which that is pruned. */
export async function putThereBy(
  journal: Journal,
  files: readonly PlacedFile[],
  pace: Pacer,
): Promise<ReadonlyMap<FileId, number>> {
  if (files.length > FILES_ASKED) return goBackTogether(journal, files, pace);
  const found = new Map<FileId, number>();
  for (const { id, path, upTo } of files)
    for await (const { record, changes = [] } of earlierSteps(journal, id, path, upTo)) {
      await pace.step();
      if (!putsThere(changes)) continue;
      found.set(id, record.seq);
      break;
    }
  return found;
}

async function goBackTogether(
  journal: Journal,
  files: readonly PlacedFile[],
  pace: Pacer,
): Promise<ReadonlyMap<FileId, number>> {
  const found = new Map<FileId, number>();
  const left = new Map(files.map(({ id, upTo }) => [id, upTo]));
  for (let upTo = files.reduce((newest, file) => Math.max(newest, file.upTo), 0); left.size > 0;) {
    const records = await journal.records({ upTo, newestFirst: true, limit: BATCH });
    if (records.length === 0) break;
    for (const record of records) {
      upTo = record.seq - 1;
      const isLeft = (id: FileId): boolean => record.seq <= (left.get(id) ?? 0);
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
