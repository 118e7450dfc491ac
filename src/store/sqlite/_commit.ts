// Owns: the statements of one commit, inside a transaction that the caller has begun.
// Must never: write before every check has passed, or wait for anything.

import { decide, type Ledger } from "../_decide.ts";
import { recordHash } from "../chain.ts";
import type { Key, Position } from "../journal.ts";
import { hex, unhex } from "./_bytes.ts";
import type { Db } from "./_driver.ts";
import { Refused } from "./_trouble.ts";
import type { WireAppend, WireAppended, WireBlob } from "./_wire.ts";

interface Head extends Position {
  readonly bytes: number;
  readonly files: number;
}

/** The last record, or the place before the first. Throws when the session has been removed. */
export function headOf(db: Db, genesis: string): Head {
  const row = db.get(
    `SELECT seq, hash, bytes, files, (SELECT 1 FROM meta WHERE key = 'removed') FROM record ORDER BY seq DESC LIMIT 1`,
  );
  const removed = row === undefined ? db.value("SELECT 1 FROM meta WHERE key = 'removed'") : row[4];
  if (removed === 1) throw new Refused("gone");
  if (row === undefined) return { seq: 0, hash: genesis, bytes: 0, files: 0 };
  return { seq: Number(row[0]), hash: hex(row[1]), bytes: Number(row[2]), files: Number(row[3]) };
}

export function hashAt(db: Db, genesis: string, seq: number): string | undefined {
  if (seq === 0) return genesis;
  const hash = db.value("SELECT hash FROM record WHERE seq = ?", [seq]);
  return hash === undefined ? undefined : hex(hash);
}

export function lastOf(db: Db, key: Key): Position | undefined {
  const row = db.get("SELECT seq, hash FROM record WHERE seq = (SELECT max(seq) FROM touch WHERE key = ?)", [
    key,
  ]);
  return row === undefined ? undefined : { seq: Number(row[0]), hash: hex(row[1]) };
}

export function append(db: Db, genesis: string, commit: WireAppend): WireAppended {
  const head = headOf(db, genesis);
  const ledger: Ledger = {
    genesis: { seq: 0, hash: genesis },
    usage: head,
    stored: (agent, once) => {
      const row = db.get("SELECT request, seq FROM result WHERE agent = ? AND once = ?", [agent, once]);
      return row === undefined ? undefined : { request: String(row[0]), seq: Number(row[1]) };
    },
    last: (key) => lastOf(db, key),
  };
  const verdict = decide(commit, ledger);
  if (verdict !== "keep") {
    if (!("replayOf" in verdict)) return verdict as WireAppended;
    const seq = verdict.replayOf;
    return {
      replay: storedResult(db, commit.agent, commit.once ?? ""),
      at: { seq, hash: hashAt(db, genesis, seq) ?? "" },
    };
  }

  const seq = head.seq + 1;
  const { time, kind, agent, role, tool, request, targets, keys, digest } = commit;
  const hash = recordHash(head.hash, {
    seq,
    time,
    kind,
    agent,
    role,
    tool,
    request,
    targets,
    keys,
    changes: digest,
  });
  for (const blob of commit.blobs) keepBlob(db, blob, seq);
  db.run(
    `INSERT INTO record (seq, hash, time, kind, agent, role, tool, request, bytes, files, digest, targets, keys, changes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      seq,
      unhex(hash),
      time,
      kind,
      agent,
      role,
      tool,
      request,
      head.bytes + commit.delta.bytes,
      head.files + commit.delta.files,
      unhex(digest),
      JSON.stringify(targets),
      JSON.stringify(keys),
      commit.changes,
    ],
  );
  for (const key of keys) db.run("INSERT INTO touch (key, seq) VALUES (?, ?)", [key, seq]);
  if (commit.once !== undefined)
    db.run("INSERT INTO result (agent, once, request, seq, time, value, blob) VALUES (?, ?, ?, ?, ?, ?, ?)", [
      agent,
      commit.once,
      request,
      seq,
      time,
      commit.result !== undefined && "value" in commit.result ? commit.result.value : null,
      commit.result !== undefined && "blob" in commit.result ? commit.result.blob : null,
    ]);
  return { at: { seq, hash } };
}

export function storedResult(db: Db, agent: string, once: string): { value: string } | { blob: string } {
  const row = db.get("SELECT value, blob FROM result WHERE agent = ? AND once = ?", [agent, once]);
  return row?.[1] == null ? { value: String(row?.[0] ?? "null") } : { blob: String(row[1]) };
}

/** Equal bytes are kept once; `last` says which record needs them most recently, so that retention spares them. */
export function keepBlob(db: Db, blob: WireBlob, seq: number): void {
  const size = blob.bytes?.length ?? blob.size;
  if (size !== undefined) {
    db.run(
      `INSERT INTO blob (id, first, last, size, bytes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
      [blob.id, seq, seq, size, blob.bytes ?? null],
    );
    return;
  }
  const known = db.run("UPDATE blob SET first = min(first, ?), last = max(last, ?) WHERE id = ?", [
    seq,
    seq,
    blob.id,
  ]);
  if (known === 0) throw new Refused("unknown blob");
}
