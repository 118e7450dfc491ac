// Owns: what is read from a session on the calling thread: short queries on a connection that only reads.
// Must never: hold the thread. Queries that could be long go by windows: _read-records.ts, _verify.ts.

import type { Json } from "../../value.ts";
import type { Key, Position, SessionInfo } from "../journal.ts";
import { lastIndexed } from "./_append.ts";
import {
  bytesIn,
  damagedCell,
  dateIn,
  jsonIn,
  sqlBytes,
  sqlHash,
  sqlTextOrNull,
  sqlTexts,
  sqlWhole,
  textIn,
  textOrNull,
  textsIn,
  wholeIn,
} from "./_cells.ts";
import { ConnectionClosed, Db, sqlFailureOf } from "./_db.ts";
import { openReader } from "./_format.ts";
import { UnindexedRecords } from "./_unindexed-records.ts";

const META = `SELECT ${sqlBytes("key")}, ${sqlBytes("value")} FROM meta`;
const HEAD = `SELECT seq, ${sqlHash("hash")}, ${sqlWhole("time")}, (SELECT 1 FROM meta WHERE key = 'removed')
  FROM record ORDER BY seq DESC LIMIT 1`;

export class JournalReader {
  readonly db: Db;
  readonly genesis: string;
  readonly #name: string | undefined;
  readonly #created: Date;
  readonly #unindexed: UnindexedRecords;

  /** `file` is a path, or a URI with options of SQLite. */
  constructor(file: string) {
    this.db = new Db(file);
    try {
      openReader(this.db);
      const meta = new Map(this.db.all(META).map(([key, value]) => [textIn(key), textIn(value)]));
      this.genesis = meta.get("genesis") ?? "";
      this.#name = meta.get("name");
      this.#created = dateIn(meta.get("created"));
      this.#unindexed = new UnindexedRecords(this.genesis);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Undefined once the session has been removed. */
  head(): (Position & { readonly time: Date }) | undefined {
    const row = this.db.get(HEAD);
    if (row !== undefined)
      return row[3] === null
        ? { seq: wholeIn(row[0]), hash: String(row[1]), time: dateIn(row[2]) }
        : undefined;
    if (this.db.value("SELECT 1 FROM meta WHERE key = 'removed'") !== undefined) return undefined;
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
    this.#unindexed.refresh(this.db);
    return this.#unindexed.last(key) ?? lastIndexed(this.db, key);
  }

  stored(agent: string, once: string): { request: string; at: Position; result: ResultRow } | undefined {
    const row = this.db.get(
      `SELECT ${sqlTexts("result.request", "record.seq", sqlHash("record.hash"))} FROM result LEFT JOIN record ON record.seq = result.seq
       WHERE result.agent = ? AND once = ?`,
      [agent, once],
    );
    if (row === undefined) return undefined;
    const [request = "", seq, hash = ""] = textsIn(row[0], 3);
    return {
      request,
      at: { seq: wholeIn(seq), hash },
      result: storedResult(this.db, agent, once),
    };
  }

  /** Inline bytes; undefined when there is no such row, `file` when they are a file. */
  blob(id: string): Uint8Array | "file" | undefined {
    // In this order: what is indexed meanwhile is found indexed.
    this.#unindexed.refresh(this.db);
    const holder = this.#unindexed.holder(id);
    const body =
      holder === undefined
        ? null
        : this.db.value(`SELECT ${sqlBytes("body")} FROM record WHERE seq = ?`, [holder]);
    if (body instanceof Uint8Array) return body;
    const row = this.db.get(
      `SELECT ${sqlBytes("coalesce(blob.bytes, record.body)")} FROM blob
       LEFT JOIN record ON record.seq = blob.holder WHERE id = ?`,
      [id],
    );
    if (row === undefined) return undefined;
    return row[0] instanceof Uint8Array ? row[0] : "file";
  }

  checkpoint(slice: string, atOrBefore: number): { at: Position; blob: string; size: number } | undefined {
    const row = this.db.get(
      `SELECT ${sqlTexts("checkpoint.seq", "checkpoint.blob", "blob.size", sqlHash("record.hash"))} FROM checkpoint
       JOIN blob ON blob.id = checkpoint.blob LEFT JOIN record ON record.seq = checkpoint.seq
       WHERE slice = ? AND checkpoint.seq <= ? ORDER BY checkpoint.seq DESC LIMIT 1`,
      [slice, atOrBefore],
    );
    if (row === undefined) return undefined;
    const [at, blob = "", size, hash = ""] = textsIn(row[0], 4);
    const seq = wholeIn(at);
    return { at: { seq, hash: seq === 0 ? this.genesis : hash }, blob, size: wholeIn(size) };
  }

  view(agent: string): { rev: number; bytes: Uint8Array } | undefined {
    const row = this.db.get(`SELECT ${sqlWhole("rev")}, ${sqlBytes("bytes")} FROM view WHERE agent = ?`, [
      agent,
    ]);
    return row === undefined ? undefined : { rev: wholeIn(row[0]), bytes: bytesIn(row[1]) };
  }

  row(name: string): { rev: number; value: Json } | undefined {
    const row = this.db.get(`SELECT ${sqlWhole("rev")}, ${sqlBytes("value")} FROM named_row WHERE name = ?`, [
      name,
    ]);
    return row === undefined ? undefined : { rev: wholeIn(row[0]), value: jsonIn(textIn(row[1])) as Json };
  }

  /** At most so many of the records between `low` (exclusive) and `high` that touched a key. */
  touches(key: Key, low: number, high: number, newest: boolean, most: number): number[] {
    this.#unindexed.refresh(this.db);
    const unindexed = this.#unindexed.touches(key).filter((seq) => seq > low && seq <= high);
    if (newest) unindexed.reverse();
    if (newest && unindexed.length >= most) return unindexed.slice(0, most);
    // No further than was indexed at that look: what has been indexed since is among the others.
    const rows = this.db.all(
      `SELECT ${sqlWhole("seq")} FROM touch WHERE key = ? AND seq > ? AND seq <= ? ORDER BY seq ${newest ? "DESC" : ""} LIMIT ?`,
      [key, low, Math.min(high, this.#unindexed.indexed), most],
    );
    const indexed = rows.map(([seq]) => wholeIn(seq));
    // Else a damaged index could lead a reader round in circles.
    if (!indexed.every((seq) => seq > low && seq <= high)) throw damagedCell("keys that are out of order");
    return (newest ? [...unindexed, ...indexed] : [...indexed, ...unindexed]).slice(0, most);
  }

  close(): void {
    this.db.close();
  }
}

/** What a call returned: inline, or where it is. */
export type ResultRow = { readonly value: Json } | { readonly blob: string };

function storedResult(db: Db, agent: string, once: string): ResultRow {
  const row = db.get(
    `SELECT ${sqlTexts(sqlTextOrNull("value"), sqlTextOrNull("blob"))} FROM result WHERE agent = ? AND once = ?`,
    [agent, once],
  );
  const [value, blob] = row === undefined ? [null, null] : textsIn(row[0], 2).map(textOrNull);
  return blob == null ? { value: jsonIn(value ?? "null") as Json } : { blob };
}

/** True for what goes away by itself: a lock that is held, a connection that was given back in the middle. */
export function isTransient(error: unknown): boolean {
  return error instanceof ConnectionClosed || sqlFailureOf(error) === "busy";
}
