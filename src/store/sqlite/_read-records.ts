// Owns: queries for records: in windows, on whatever connection is open then.
// Must never: hold the thread. It yields between windows, and within one whose records are long.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Change, JournalRecord, Key, RecordQuery } from "../journal.ts";
import { hex } from "./_bytes.ts";
import type { SqlBind, SqlRow } from "./_driver.ts";
import type { Reader } from "./_reader.ts";

/** Our share of the 15 ms that a thread may be held: then others have their turn. */
const SLICE_MS = 4;
const WINDOW = 64;
/** In the order of {@link recordOfRow}. */
export const RECORD_COLUMNS =
  "seq, hash, time, kind, agent, role, tool, request, encoding, digest, targets, keys, changes";

interface Window {
  /** The last seq in it, in the order of the query. */
  readonly end: number;
  readonly binds: readonly SqlBind[];
}

/** Yields between windows; `again` returns a reader that is open then. */
export async function readRecords(
  query: RecordQuery,
  again: () => Promise<Reader>,
): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  let reader = await again();
  let low = Math.max(0, query.after ?? 0);
  let high = Math.min(query.upTo ?? Number.MAX_SAFE_INTEGER, reader.head()?.seq ?? 0);
  const { sql, binds } = selectRecords(query);
  let since = performance.now();
  while (found.length < query.limit) {
    const window = nextWindow(reader, query, low, high);
    if (window === undefined) break;
    for (const row of reader.db.all(sql, [...window.binds, ...binds, query.limit - found.length])) {
      found.push(recordOfRow(row));
      // Parsing is most of the work.
      if (performance.now() - since > SLICE_MS) {
        await nextTurn();
        since = performance.now();
      }
    }
    reader = await again();
    if (query.newestFirst === true) high = window.end - 1;
    else low = window.end;
  }
  return found;
}

/** The next candidates between `low` (exclusive) and `high`, and undefined after the last. */
function nextWindow(reader: Reader, query: RecordQuery, low: number, high: number): Window | undefined {
  const newest = query.newestFirst === true;
  if (query.key === undefined) {
    if (low >= high) return undefined;
    const end = newest ? Math.max(low, high - WINDOW) + 1 : Math.min(high, low + WINDOW);
    return { end, binds: newest ? [end - 1, high] : [low, end] };
  }
  const seqs = reader.touches(query.key, low, high, newest, WINDOW);
  const end = seqs.at(-1);
  return end === undefined ? undefined : { end, binds: [JSON.stringify(seqs)] };
}

function selectRecords(query: RecordQuery): { sql: string; binds: SqlBind[] } {
  const where: string[] = [];
  const binds: SqlBind[] = [];
  const add = (condition: string, bind: SqlBind | undefined): void => {
    if (bind === undefined) return;
    where.push(` AND ${condition}`);
    binds.push(bind);
  };
  add("agent = ?", query.agent);
  add("tool = ?", query.tool);
  add("kind = ?", query.kind);
  add("time >= ?", query.since?.getTime());
  add("time < ?", query.until?.getTime());
  const order = query.newestFirst === true ? "DESC" : "ASC";
  const window = query.key === undefined ? "seq > ? AND seq <= ?" : "seq IN (SELECT value FROM json_each(?))";
  return {
    sql: `SELECT ${RECORD_COLUMNS} FROM record WHERE ${window}${where.join("")} ORDER BY seq ${order} LIMIT ?`,
    binds,
  };
}

function recordOfRow(row: SqlRow): JournalRecord {
  const [seq, hash, time, kind, agent, role, tool, request, encoding, , targets, keys, changes] = row;
  return {
    seq: Number(seq),
    hash: hex(hash),
    time: new Date(Number(time)),
    kind: String(kind),
    agent: String(agent),
    role: String(role),
    ...(tool === null ? {} : { tool: String(tool) }),
    request: String(request),
    encoding: Number(encoding),
    targets: JSON.parse(String(targets)) as Key[],
    keys: JSON.parse(String(keys)) as Key[],
    ...(changes === null ? {} : { changes: JSON.parse(String(changes)) as Change[] }),
  };
}
