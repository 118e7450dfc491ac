// Owns: what is read from a session on the calling thread: short queries on a connection that only reads.
// Must never: hold the thread. A query that could be long goes by windows, and yields between them.

import { setImmediate as nextTurn } from "node:timers/promises";
import { HoldfastError } from "../../errors.ts";
import type { Json } from "../../value.ts";
import { digest, inlineBlobId, isInlineBlobId, recordHash } from "../chain.ts";
import type {
  BlobId,
  Change,
  JournalRecord,
  Key,
  Position,
  RecordQuery,
  SessionInfo,
  Verified,
} from "../journal.ts";
import { openBlobFile, type OpenBlob } from "./_blob-files.ts";
import { hex } from "./_bytes.ts";
import { lastIndexed, storedResult } from "./_append.ts";
import { ConnectionClosed, Db, sqlFailureOf, type SqlBind, type SqlRow } from "./_driver.ts";
import { openReader } from "./_format.ts";
import { blobFile, journalFile } from "./_layout.ts";
import { fileChunks } from "./_streams.ts";
import { UnindexedRecords } from "./_unindexed-records.ts";

/** Our share of the 15 ms that a thread may be held: then others have their turn. */
const SLICE_MS = 4;
const WINDOW = 64;
const COLUMNS = "seq, hash, time, kind, agent, role, tool, request, encoding, digest, targets, keys, changes";

interface Window {
  /** The last seq in it, in the order of the query. */
  readonly end: number;
  readonly binds: readonly SqlBind[];
}

export class Reader {
  readonly #db: Db;
  readonly genesis: string;
  readonly #name: string | undefined;
  readonly #created: Date;
  readonly #unindexed: UnindexedRecords;

  constructor(directory: string) {
    this.#db = new Db(journalFile(directory));
    try {
      openReader(this.#db);
      const meta = new Map(
        this.#db.all("SELECT key, value FROM meta").map(([k, v]) => [String(k), String(v)]),
      );
      this.genesis = meta.get("genesis") ?? "";
      this.#name = meta.get("name");
      this.#created = new Date(Number(meta.get("created")));
      this.#unindexed = new UnindexedRecords(this.genesis);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Undefined once the session has been removed. */
  head(): (Position & { readonly time: Date }) | undefined {
    const row = this.#db.get(
      `SELECT seq, hash, time, (SELECT 1 FROM meta WHERE key = 'removed') FROM record ORDER BY seq DESC LIMIT 1`,
    );
    if (row !== undefined)
      return row[3] === null
        ? { seq: Number(row[0]), hash: hex(row[1]), time: new Date(Number(row[2])) }
        : undefined;
    if (this.#db.value("SELECT 1 FROM meta WHERE key = 'removed'") !== undefined) return undefined;
    return { seq: 0, hash: this.genesis, time: this.#created };
  }

  info(id: string): SessionInfo | undefined {
    const head = this.head();
    if (head === undefined) return undefined;
    return {
      id,
      ...(this.#name === undefined ? {} : { name: this.#name }),
      created: this.#created,
      updated: head.time,
      head: { seq: head.seq, hash: head.hash },
    };
  }

  last(key: Key): Position | undefined {
    this.#unindexed.refresh(this.#db);
    return this.#unindexed.last(key) ?? lastIndexed(this.#db, key);
  }

  stored(
    agent: string,
    once: string,
  ): { request: string; at: Position; result: ReturnType<typeof storedResult> } | undefined {
    const row = this.#db.get(
      `SELECT result.request, record.seq, record.hash FROM result JOIN record ON record.seq = result.seq
       WHERE result.agent = ? AND once = ?`,
      [agent, once],
    );
    if (row === undefined) return undefined;
    return {
      request: String(row[0]),
      at: { seq: Number(row[1]), hash: hex(row[2]) },
      result: storedResult(this.#db, agent, once),
    };
  }

  /** Inline bytes; undefined when there is no such row, `file` when they are a file. */
  blob(id: string): Uint8Array | "file" | undefined {
    // In this order: what is indexed meanwhile is found indexed.
    this.#unindexed.refresh(this.#db);
    const holder = this.#unindexed.holder(id);
    const body =
      holder === undefined ? null : this.#db.value("SELECT body FROM record WHERE seq = ?", [holder]);
    if (body instanceof Uint8Array) return body;
    const row = this.#db.get(
      "SELECT coalesce(blob.bytes, record.body) FROM blob LEFT JOIN record ON record.seq = blob.holder WHERE id = ?",
      [id],
    );
    if (row === undefined) return undefined;
    return row[0] instanceof Uint8Array ? row[0] : "file";
  }

  checkpoint(slice: string, atOrBefore: number): { at: Position; blob: string; size: number } | undefined {
    const row = this.#db.get(
      `SELECT checkpoint.seq, checkpoint.blob, blob.size, record.hash FROM checkpoint
       JOIN blob ON blob.id = checkpoint.blob LEFT JOIN record ON record.seq = checkpoint.seq
       WHERE slice = ? AND checkpoint.seq <= ? ORDER BY checkpoint.seq DESC LIMIT 1`,
      [slice, atOrBefore],
    );
    if (row === undefined) return undefined;
    const seq = Number(row[0]);
    return {
      at: { seq, hash: seq === 0 ? this.genesis : hex(row[3]) },
      blob: String(row[1]),
      size: Number(row[2]),
    };
  }

  view(agent: string): { rev: number; bytes: Uint8Array } | undefined {
    const row = this.#db.get("SELECT rev, bytes FROM view WHERE agent = ?", [agent]);
    return row === undefined ? undefined : { rev: Number(row[0]), bytes: row[1] as Uint8Array };
  }

  row(name: string): { rev: number; value: Json } | undefined {
    const row = this.#db.get("SELECT rev, value FROM named_row WHERE name = ?", [name]);
    return row === undefined ? undefined : { rev: Number(row[0]), value: JSON.parse(String(row[1])) as Json };
  }

  /** The next candidates between `low` (exclusive) and `high`, and undefined after the last. */
  #window(query: RecordQuery, low: number, high: number): Window | undefined {
    const newest = query.newestFirst === true;
    if (query.key === undefined) {
      if (low >= high) return undefined;
      const end = newest ? Math.max(low, high - WINDOW) + 1 : Math.min(high, low + WINDOW);
      return { end, binds: newest ? [end - 1, high] : [low, end] };
    }
    const seqs = this.#touches(query.key, low, high, newest);
    const end = seqs.at(-1);
    return end === undefined ? undefined : { end, binds: [JSON.stringify(seqs)] };
  }

  /** At most a window of the records that touched a key, in the order of the query. */
  #touches(key: Key, low: number, high: number, newest: boolean): number[] {
    this.#unindexed.refresh(this.#db);
    const unindexed = this.#unindexed.touches(key).filter((seq) => seq > low && seq <= high);
    if (newest) unindexed.reverse();
    if (newest && unindexed.length >= WINDOW) return unindexed.slice(0, WINDOW);
    // No further than was indexed at that look: what has been indexed since is among the others.
    const rows = this.#db.all(
      `SELECT seq FROM touch WHERE key = ? AND seq > ? AND seq <= ? ORDER BY seq ${newest ? "DESC" : ""} LIMIT ${WINDOW}`,
      [key, low, Math.min(high, this.#unindexed.indexed)],
    );
    const indexed = rows.map(([seq]) => Number(seq));
    return (newest ? [...unindexed, ...indexed] : [...indexed, ...unindexed]).slice(0, WINDOW);
  }

  /** Gives way between windows; `again` responses a reader that is open then. */
  static async records(query: RecordQuery, again: () => Promise<Reader>): Promise<JournalRecord[]> {
    const found: JournalRecord[] = [];
    let reader = await again();
    let low = Math.max(0, query.after ?? 0);
    let high = Math.min(query.upTo ?? Number.MAX_SAFE_INTEGER, reader.head()?.seq ?? 0);
    const { sql, binds } = selectRecords(query);
    let since = performance.now();
    while (found.length < query.limit) {
      const window = reader.#window(query, low, high);
      if (window === undefined) break;
      for (const row of reader.#db.all(sql, [...window.binds, ...binds, query.limit - found.length])) {
        found.push(recordOf(row));
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

  static async verify(
    directory: string,
    how: { readonly blobs?: boolean; readonly signal?: AbortSignal },
    again: () => Promise<Reader>,
  ): Promise<Verified> {
    let reader = await again();
    const head = reader.head() ?? { seq: 0, hash: reader.genesis };
    let at: Position = { seq: 0, hash: reader.genesis };
    let pruned = 0;
    while (at.seq < head.seq) {
      how.signal?.throwIfAborted();
      const rows = reader.#db.all(
        `SELECT ${COLUMNS} FROM record WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${WINDOW}`,
        [at.seq, head.seq],
      );
      if (rows.length === 0) return { ok: false, seq: at.seq + 1, what: "gap" };
      for (const row of rows) {
        const seq = Number(row[0]);
        if (seq !== at.seq + 1) return { ok: false, seq: at.seq + 1, what: "gap" };
        const what = checkRow(row, at.hash);
        if (what !== undefined) return { ok: false, seq, what };
        if (row[12] === null) pruned++;
        at = { seq, hash: hex(row[1]) };
      }
      if (how.blobs === true) {
        const missing = reader.#db.value(MISSING, [Number(rows[0]?.[0]), at.seq]);
        if (typeof missing === "number") return { ok: false, seq: missing, what: "blob" };
      }
      await nextTurn();
      reader = await again();
    }
    if (how.blobs === true) {
      const broken =
        (await Reader.#broken(BODIES, how.signal, again)) ??
        (await Reader.#broken(BLOBS, how.signal, again)) ??
        (await Reader.#brokenFile(directory, how.signal, again));
      if (broken !== undefined) return { ok: false, seq: broken, what: "blob" };
    }
    return { ok: true, head: { seq: at.seq, hash: at.hash }, checked: at.seq, pruned };
  }

  /** The record that brought in the first bytes that are not what their id says. */
  static async #broken(
    sql: string,
    signal: AbortSignal | undefined,
    again: () => Promise<Reader>,
  ): Promise<number | undefined> {
    for (let place = 0; ;) {
      signal?.throwIfAborted();
      const rows = (await again()).#db.all(sql, [place]);
      for (const [, id, first, bytes] of rows)
        if (isInlineBlobId(String(id)) && inlineBlobId(bytes as Uint8Array) !== id) return Number(first);
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      place = Number(last[0]);
      await nextTurn();
    }
  }

  /** The record that brought in the first file that is missing or not as it was written. */
  static async #brokenFile(
    directory: string,
    signal: AbortSignal | undefined,
    again: () => Promise<Reader>,
  ): Promise<number | undefined> {
    for (let place = 0; ;) {
      const row = (await again()).#db.get(FILES, [place]);
      if (row === undefined) return undefined;
      place = Number(row[0]);
      if (!(await isWholeFile(directory, String(row[1]), Number(row[3]), signal))) return Number(row[2]);
    }
  }

  close(): void {
    this.#db.close();
  }
}

/** Bytes in windows, by place: place, id, record that brought them in, bytes. */
const BODIES =
  "SELECT seq, blobs ->> 0, seq, body FROM record WHERE seq > ? AND body IS NOT NULL ORDER BY seq LIMIT 8";
const BLOBS =
  "SELECT place, id, first, bytes FROM blob WHERE place > ? AND bytes IS NOT NULL ORDER BY place LIMIT 8";

const FILES =
  "SELECT place, id, first, size FROM blob WHERE place > ? AND bytes IS NULL AND holder IS NULL ORDER BY place LIMIT 1";
/** The first of some records that uses a blob which is nowhere. What is pruned uses none. */
const MISSING = `SELECT min(record.seq) FROM record, json_each(record.blobs) AS name
  WHERE record.seq >= ? AND record.seq <= ? AND changes IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM blob WHERE id = name.value)
    AND NOT EXISTS (SELECT 1 FROM record AS other
      WHERE other.seq > (SELECT indexed FROM state) AND other.body IS NOT NULL AND other.blobs ->> 0 = name.value)`;

/** Reads a blob file from end to end, chunk by chunk. */
async function isWholeFile(
  directory: string,
  id: BlobId,
  size: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let file: OpenBlob | undefined;
  try {
    file = openBlobFile(blobFile(directory, id), id);
    if (file?.size !== size) return false;
    for (const chunk of fileChunks(file.read)) {
      void chunk;
      signal?.throwIfAborted();
      await nextTurn();
    }
    return true;
  } catch (error) {
    if (HoldfastError.is(error) && error.reason === "blob_lost") return false;
    throw error;
  } finally {
    file?.close();
  }
}

/** True for what goes away by itself: a lock that is held, a connection that was given back in the middle. */
export function isTransient(error: unknown): boolean {
  return error instanceof ConnectionClosed || sqlFailureOf(error) === "busy";
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
    sql: `SELECT ${COLUMNS} FROM record WHERE ${window}${where.join("")} ORDER BY seq ${order} LIMIT ?`,
    binds,
  };
}

function recordOf(row: SqlRow): JournalRecord {
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

function checkRow(row: SqlRow, previous: string): "hash" | "changes" | undefined {
  const [seq, hash, time, kind, agent, role, tool, request, encoding, sum, targets, keys, changes] = row;
  if (changes !== null && digest(String(changes)) !== hex(sum)) return "changes";
  const expected = recordHash(previous, {
    seq: Number(seq),
    time: Number(time),
    kind: String(kind),
    agent: String(agent),
    role: String(role),
    tool: tool === null ? null : String(tool),
    request: String(request),
    encoding: Number(encoding),
    targets: JSON.parse(String(targets)) as Key[],
    keys: JSON.parse(String(keys)) as Key[],
    changes: hex(sum),
  });
  return expected === hex(hash) ? undefined : "hash";
}
