// Owns: asking the history what was done, by whom, where.

import { parsePath, ROOT, type WorkspacePath } from "../path/index.ts";
import type { Journal, JournalRecord, RecordQuery } from "../store/journal.ts";
import { dirKey, fileKey, touchesUnder } from "./files/file-keys.ts";
import { formerRecords } from "./files/former-names.ts";
import { kindOf } from "./record-kinds.ts";
import type { SessionCore } from "./transact.ts";

/** Which records to list. */
export interface LogQuery extends RecordQuery {
  /** A file, or a directory: then what was changed at or under it. */
  readonly path?: string;
}

const BATCH = 256;
const NO_RECORDS: ReadonlySet<number> = new Set();

/** The records that match, without rewrites unless they are asked for by kind. Of a directory, files that do not count bring none. */
export async function readLog(
  core: SessionCore,
  query: LogQuery,
  counts?: (path: WorkspacePath) => boolean,
): Promise<JournalRecord[]> {
  const { journal, limits, names } = core;
  const { path, ...rest } = query;
  const under =
    path === undefined ? undefined : parsePath(path, { kind: "any", allowRoot: true, limits, names });
  const now = core.timeline.state;
  const former = under === undefined ? NO_RECORDS : await formerRecords(journal, now, under, query.after);
  const key = under === undefined || former.size > 0 ? undefined : await fileOnly(journal, under);
  const ask = key === undefined ? rest : { ...rest, key };
  const found: JournalRecord[] = [];
  let { after, upTo } = rest;
  for (;;) {
    const records = await journal.records({
      ...ask,
      limit: BATCH,
      ...(after === undefined ? {} : { after }),
      ...(upTo === undefined ? {} : { upTo }),
    });
    for (const record of records) {
      if (found.length >= query.limit) return found;
      if (kindOf(record).isHidden && query.kind !== record.kind) continue;
      const isThere = under === undefined || key !== undefined || touchesUnder(record, under, counts);
      if (!isThere && !former.has(record.seq)) continue;
      found.push(record);
    }
    const last = records.at(-1);
    if (last === undefined || records.length < BATCH) return found;
    if (query.newestFirst === true) upTo = last.seq - 1;
    else after = last.seq;
  }
}

/** The key of a path that has only ever been a file: the store finds its records at once. */
async function fileOnly(journal: Journal, path: WorkspacePath): Promise<string | undefined> {
  if (path === ROOT) return undefined;
  const [asFile, asDirectory] = await journal.last([fileKey(path), dirKey(path)]);
  return asFile !== undefined && asDirectory === undefined ? fileKey(path) : undefined;
}
