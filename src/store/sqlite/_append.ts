// Owns: the statements of one commit, inside a transaction that the caller has begun.
// Must never: write before every check has passed, or wait for anything.

import { checkCommit, type Ledger } from "../_commit-check.ts";
import { recordHash } from "../chain.ts";
import { TURN, type BlobId, type Key, type Position } from "../journal.ts";
import { damagedCell, sqlHash, sqlTexts, sqlWhole, textsIn, unhex, wholeIn } from "./_cells.ts";
import type { Db } from "./_db.ts";
import { Refused } from "./_failure.ts";
import type { Head, Newest, UnindexedRecords } from "./_unindexed-records.ts";
import type { WireAppend, WireAppended, WireBlob, WireRecord } from "./_wire.ts";

const HEAD = `SELECT seq, ${sqlHash("hash")} FROM record ORDER BY seq DESC LIMIT 1`;
const HASH_AT = `SELECT ${sqlHash("hash")} FROM record WHERE seq = ?`;
const LAST = `SELECT ${sqlWhole("touched.seq")}, ${sqlHash("record.hash")}
  FROM (SELECT max(seq) AS seq FROM touch WHERE key = ?) AS touched LEFT JOIN record ON record.seq = touched.seq`;

/** Undefined for a place after the last record. */
export function hashAt(db: Db, genesis: string, seq: number): string | undefined {
  if (seq === 0) return genesis;
  const [last, hashOfLast] = db.get(HEAD) ?? [0];
  if (wholeIn(last) < seq) return undefined;
  const hash = db.value(HASH_AT, [seq]);
  // No record ever goes, and none has the number of another.
  if (hash === undefined || (last === seq && hash !== hashOfLast))
    throw damagedCell(`record ${seq} is not where it was`);
  return String(hash);
}

/** Where a key was last touched, as far as records are indexed. */
export function lastIndexed(db: Db, key: Key): Position | undefined {
  const [last, hash] = db.get(LAST, [key]) ?? [];
  if (last == null) return undefined;
  const seq = wholeIn(last);
  if (hash === "") throw damagedCell(`record ${seq} is missing`);
  return { seq, hash: String(hash) };
}

const INSERT_RECORD = `INSERT INTO record
    (seq, hash, time, kind, agent, role, tool, request, encoding, bytes, files, digest, targets, keys, changes, blobs, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The blob whose bytes the record carries itself: the first that came with it. */
function bodyOf(record: WireRecord): WireBlob | undefined {
  return record.blobs.find((blob) => blob.bytes !== undefined);
}

/** `unindexed` has been refreshed inside this transaction. */
export function append(
  db: Db,
  genesis: string,
  unindexed: UnindexedRecords,
  commit: WireAppend,
): WireAppended {
  const { head } = unindexed;
  const ledger: Ledger = {
    genesis: { seq: 0, hash: genesis },
    head: head.seq,
    usage: head,
    stored: (agent, once) => {
      const row = db.get(`SELECT ${sqlTexts("request", "seq")} FROM result WHERE agent = ? AND once = ?`, [
        agent,
        once,
      ]);
      if (row === undefined) return undefined;
      const [request = "", seq] = textsIn(row[0], 2);
      return { request, seq: wholeIn(seq) };
    },
    turn: () => {
      const held = db.get(`SELECT ${sqlTexts("holder", "until")} FROM lease WHERE name = ?`, [TURN]);
      if (held === undefined) return undefined;
      const [holder, until] = textsIn(held[0], 2);
      return wholeIn(until) > Date.now() ? holder : undefined;
    },
    last: (key) => unindexed.last(key) ?? lastIndexed(db, key),
  };
  const verdict = checkCommit(commit, ledger);
  if (verdict !== "commit") {
    return "replayOf" in verdict ? { replay: true } : verdict;
  }

  const first = insertRecord(db, unindexed, head, commit);
  const next = commit.next && insertRecord(db, unindexed, first.head, commit.next, new Set(first.blobs));
  const { seq, hash } = first.head;
  if (commit.once !== undefined)
    db.run("INSERT INTO result (agent, once, request, seq, time, value, blob) VALUES (?, ?, ?, ?, ?, ?, ?)", [
      commit.agent,
      commit.once,
      commit.request,
      seq,
      commit.time,
      commit.result !== undefined && "value" in commit.result ? commit.result.value : null,
      commit.result !== undefined && "blob" in commit.result ? commit.result.blob : null,
    ]);
  // After all that can fail.
  unindexed.add(first);
  if (next === undefined) return { at: { seq, hash } };
  unindexed.add(next);
  return { at: { seq, hash }, next: { seq: next.head.seq, hash: next.head.hash } };
}

/** Writes a record after `head`. `there`: blobs that the record before it, which is not indexed yet, has brought in. */
function insertRecord(
  db: Db,
  unindexed: UnindexedRecords,
  head: Head,
  record: WireRecord,
  there: ReadonlySet<BlobId> = new Set(),
): Newest {
  const seq = head.seq + 1;
  const { time, kind, agent, role, tool, request, encoding, targets, keys, digest, delta } = record;
  const hash = recordHash(head.hash, {
    seq,
    time,
    kind,
    agent,
    role,
    tool,
    request,
    encoding,
    targets,
    keys,
    changes: digest,
  });
  const body = bodyOf(record);
  const blobs = body === undefined ? [] : [body.id];
  for (const blob of record.blobs) {
    if (blob === body) continue;
    blobs.push(blob.id);
    if (unindexed.holder(blob.id) === undefined && !there.has(blob.id)) insertBlob(db, blob, seq);
  }
  const after: Head = { seq, hash, bytes: head.bytes + delta.bytes, files: head.files + delta.files };
  db.run(INSERT_RECORD, [
    seq,
    unhex(hash),
    time,
    kind,
    agent,
    role,
    tool,
    request,
    encoding,
    after.bytes,
    after.files,
    unhex(digest),
    JSON.stringify(targets),
    JSON.stringify(keys),
    record.changes,
    JSON.stringify(blobs),
    body?.bytes ?? null,
  ]);
  return { head: after, keys, blobs, hasBody: body !== undefined };
}

/** Equal bytes are stored once. Throws for a blob without bytes or file that is not there already. */
export function insertBlob(db: Db, blob: WireBlob, seq: number): void {
  const size = blob.bytes?.length ?? blob.size;
  if (size === undefined) {
    if (db.value("SELECT 1 FROM blob WHERE id = ?", [blob.id]) === undefined)
      throw new Refused("unknown blob");
    return;
  }
  db.run(
    `INSERT INTO blob (id, first, last, size, bytes) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
    [blob.id, seq, seq, size, blob.bytes ?? null],
  );
}
