// Owns: queries for records: in windows, on whatever connection is open then.
// Must never: hold the thread. It yields between windows, and within one whose records are long.

import { Pacer } from "../../text/steps.ts";
import { digest } from "../chain.ts";
import type { Change, JournalRecord, RecordQuery } from "../journal.ts";
import {
  damagedCell,
  dateIn,
  jsonIn,
  listIn,
  sqlHash,
  sqlTextOrNull,
  sqlTexts,
  textOrNull,
  textsIn,
  wholeIn,
} from "./_cells.ts";
import type { SqlBind, SqlCell } from "./_driver.ts";
import type { JournalReader } from "./_reader.ts";

const WINDOW = 64;
/** A record as one cell, in the order of {@link storedRecord}. */
export const RECORD_CELL: string = sqlTexts(
  "seq",
  sqlHash("hash"),
  "time",
  "kind",
  "agent",
  "role",
  sqlTextOrNull("tool"),
  "request",
  "encoding",
  sqlHash("digest"),
  "targets",
  "keys",
  sqlTextOrNull("changes"),
);

/** A record as its columns are; `changes` is null once pruned. */
export interface StoredRecord extends Omit<JournalRecord, "tool" | "changes"> {
  readonly tool: string | null;
  readonly digest: string;
  readonly changes: string | null;
}

interface Window {
  /** The last seq in it, in the order of the query. */
  readonly end: number;
  /** How many records it spans. */
  readonly size: number;
  readonly binds: readonly SqlBind[];
}

/** Yields between windows; `again` returns a reader that is open then. */
export async function readRecords(
  query: RecordQuery,
  again: () => Promise<JournalReader>,
): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  let reader = await again();
  let low = Math.max(0, query.after ?? 0);
  let high = Math.min(query.upTo ?? Number.MAX_SAFE_INTEGER, reader.head()?.seq ?? 0);
  const { sql, binds } = selectRecords(query);
  const isEvery = query.key === undefined && binds.length === 0;
  const pace = new Pacer();
  while (found.length < query.limit) {
    const window = nextWindow(reader, query, low, high);
    if (window === undefined) break;
    const wanted = query.limit - found.length;
    const rows = reader.db.all(sql, [...window.binds, ...binds, wanted]);
    const isWhole = isEvery ? rows.length >= Math.min(window.size, wanted) : isThere(reader, window.end);
    if (!isWhole) throw damagedCell("records are missing");
    for (const row of rows) {
      const record = recordOf(storedRecord(row[0]));
      if (record.seq === found.at(-1)?.seq) throw damagedCell("two records of one number");
      found.push(record);
      // Parsing is most of the work.
      const turn = pace.step();
      if (turn !== undefined) await turn;
    }
    reader = await again();
    if (query.newestFirst === true) high = window.end - 1;
    else low = window.end;
  }
  return found;
}

/** Else a damaged number of the last record could make a search go on for ever. */
function isThere(reader: JournalReader, seq: number): boolean {
  return reader.db.value("SELECT 1 FROM record WHERE seq = ?", [seq]) !== undefined;
}

/** The next candidates between `low` (exclusive) and `high`, and undefined after the last. */
function nextWindow(
  reader: JournalReader,
  query: RecordQuery,
  low: number,
  high: number,
): Window | undefined {
  const newest = query.newestFirst === true;
  if (query.key === undefined) {
    if (low >= high) return undefined;
    const end = newest ? Math.max(low, high - WINDOW) + 1 : Math.min(high, low + WINDOW);
    const [from, to] = newest ? [end - 1, high] : [low, end];
    return { end, size: to - from, binds: [from, to] };
  }
  const seqs = reader.touches(query.key, low, high, newest, WINDOW);
  const end = seqs.at(-1);
  return end === undefined ? undefined : { end, size: seqs.length, binds: [JSON.stringify(seqs)] };
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
    sql: `SELECT ${RECORD_CELL} FROM record WHERE ${window}${where.join("")} ORDER BY seq ${order} LIMIT ?`,
    binds,
  };
}

/** Throws when it is not what a record looks like. */
export function storedRecord(cell: SqlCell | undefined): StoredRecord {
  const texts = textsIn(cell, 13);
  const [seq, hash = "", time, kind = "", agent = "", role = "", tool, request = ""] = texts;
  const [encoding, sum = "", targets = "", keys = "", changes] = texts.slice(8);
  return {
    seq: wholeIn(seq),
    hash,
    time: dateIn(time),
    kind,
    agent,
    role,
    tool: textOrNull(tool),
    request,
    encoding: wholeIn(encoding),
    digest: sum,
    targets: listIn(targets),
    keys: listIn(keys),
    changes: textOrNull(changes),
  };
}

/** Throws when its changes are not those that were written. */
function recordOf(stored: StoredRecord): JournalRecord {
  const { seq, hash, time, kind, agent, role, tool, request, encoding, targets, keys, changes } = stored;
  if (changes !== null && digest(changes) !== stored.digest)
    throw damagedCell(`the changes of record ${seq}`);
  // One by one: copying all but some fields would cost as much as parsing them.
  return {
    seq,
    hash,
    time,
    kind,
    agent,
    role,
    request,
    encoding,
    targets,
    keys,
    ...(tool === null ? undefined : { tool }),
    ...(changes === null ? undefined : { changes: jsonIn(changes) as Change[] }),
  };
}
