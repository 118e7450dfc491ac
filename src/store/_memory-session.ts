// Owns: what a session in memory is made of, and the lookups on it.

import { AuditFold } from "./_audit-fold.ts";
import type { Staging } from "./_staging.ts";
import { digest, encodeChanges, recordHash, type RecordHead } from "./chain.ts";
import type {
  Append,
  AuditEntry,
  BlobId,
  Change,
  JournalRecord,
  Key,
  NextRecord,
  Position,
  RecordQuery,
  SessionInfo,
} from "./journal.ts";

export interface MemoryRecord extends RecordHead {
  readonly hash: string;
  /** The text of the changes; undefined once pruned. */
  body: string | undefined;
  /** What the session holds after this record. */
  readonly bytes: number;
  readonly files: number;
}

export interface MemoryResult {
  readonly request: string;
  readonly result: string;
  readonly seq: number;
  readonly time: number;
}

export interface Blob {
  readonly bytes: Uint8Array;
  /** The first and the last record that brought these bytes in. */
  readonly first: number;
  last: number;
}

/** One session's history, shared by every journal that has it open. */
export interface MemorySession {
  readonly id: string;
  readonly name: string | undefined;
  readonly created: Date;
  readonly genesis: string;
  /** `records[i]` has seq i + 1. */
  readonly records: MemoryRecord[];
  /** The seqs of the records that touched a key, rising. */
  readonly touched: Map<Key, number[]>;
  readonly results: Map<string, MemoryResult>;
  readonly blobs: Map<BlobId, Blob>;
  readonly checkpoints: Map<string, { readonly at: Position; readonly chunks: readonly Uint8Array[] }[]>;
  readonly views: Map<string, { readonly rev: number; readonly bytes: Uint8Array }>;
  readonly rows: Map<string, { readonly rev: number; readonly value: string }>;
  readonly leases: Map<string, { readonly holder: string; readonly until: number }>;
  readonly audit: Map<number, AuditEntry>;
  readonly fold: AuditFold;
  readonly watchers: Set<() => void>;
  removed: boolean;
}

export function newMemorySession(id: string, name: string | undefined, genesis: string): MemorySession {
  let rows = 0;
  return {
    id,
    name,
    created: new Date(),
    genesis,
    records: [],
    touched: new Map(),
    results: new Map(),
    blobs: new Map(),
    checkpoints: new Map(),
    views: new Map(),
    rows: new Map(),
    leases: new Map(),
    audit: new Map(),
    fold: new AuditFold(() => ++rows),
    watchers: new Set(),
    removed: false,
  };
}

export function forkMemorySession(
  from: MemorySession,
  seq: number,
  into: string,
  name?: string,
): MemorySession {
  const session = newMemorySession(into, name, from.genesis);
  for (const record of from.records.slice(0, seq)) {
    session.records.push({ ...record });
    for (const key of record.keys) touch(session, key, record.seq);
  }
  for (const [key, stored] of from.results) if (stored.seq <= seq) session.results.set(key, stored);
  for (const [id, blob] of from.blobs)
    if (blob.first <= seq) session.blobs.set(id, { ...blob, last: Math.min(blob.last, seq) });
  for (const [slice, saved] of from.checkpoints)
    session.checkpoints.set(
      slice,
      saved.filter(({ at }) => at.seq <= seq),
    );
  return session;
}

/** Adds a commit that was checked, with the bytes that it brings in. */
export function addRecord(
  session: MemorySession,
  commit: NextRecord & Pick<Append, "time" | "tool" | "once" | "result">,
  staging: Staging,
): Position {
  const before = session.records.at(-1);
  const body = encodeChanges(commit.changes);
  const result = JSON.stringify(commit.result ?? null);
  const seq = session.records.length + 1;
  const head: RecordHead = {
    seq,
    time: commit.time.getTime(),
    kind: commit.kind,
    agent: commit.agent,
    role: commit.role,
    tool: commit.tool ?? null,
    request: commit.request,
    encoding: commit.encoding,
    targets: [...commit.targets],
    keys: [...new Set(commit.touch)],
    changes: digest(body),
  };
  const hash = recordHash(headOf(session).hash, head);
  session.records.push({
    ...head,
    hash,
    body,
    bytes: (before?.bytes ?? 0) + commit.delta.bytes,
    files: (before?.files ?? 0) + commit.delta.files,
  });
  for (const key of head.keys) touch(session, key, seq);
  for (const id of commit.blobs) {
    const found = session.blobs.get(id);
    const bytes = found?.bytes ?? staging.get(id) ?? new Uint8Array();
    session.blobs.set(id, { bytes, first: found?.first ?? seq, last: seq });
    staging.drop(id);
  }
  if (commit.once !== undefined)
    session.results.set(onceKey(commit.agent, commit.once), {
      request: commit.request,
      result,
      seq,
      time: head.time,
    });
  return { seq, hash };
}

function touch(session: MemorySession, key: Key, seq: number): void {
  const seqs = session.touched.get(key);
  if (seqs === undefined) session.touched.set(key, [seq]);
  else seqs.push(seq);
}

export function hashAtSeq(session: MemorySession, seq: number): string | undefined {
  return seq === 0 ? session.genesis : session.records[seq - 1]?.hash;
}

export function headOf(session: MemorySession): Position {
  const seq = session.records.length;
  return { seq, hash: hashAtSeq(session, seq) ?? "" };
}

export function infoOf(session: MemorySession): SessionInfo {
  const last = session.records.at(-1);
  return {
    id: session.id,
    ...(session.name === undefined ? {} : { name: session.name }),
    created: session.created,
    updated: last === undefined ? session.created : new Date(last.time),
    head: headOf(session),
  };
}

export function onceKey(agent: string, once: string): string {
  return JSON.stringify([agent, once]);
}

export function lastOf(session: MemorySession, key: Key): Position | undefined {
  const seq = session.touched.get(key)?.at(-1);
  return seq === undefined ? undefined : { seq, hash: hashAtSeq(session, seq) ?? "" };
}

export function matches(record: MemoryRecord, query: RecordQuery): boolean {
  return (
    (query.agent === undefined || query.agent === record.agent) &&
    (query.tool === undefined || query.tool === record.tool) &&
    (query.kind === undefined || query.kind === record.kind) &&
    (query.since === undefined || query.since.getTime() <= record.time) &&
    (query.until === undefined || query.until.getTime() > record.time)
  );
}

export function journalRecordOf(record: MemoryRecord): JournalRecord {
  return {
    seq: record.seq,
    hash: record.hash,
    time: new Date(record.time),
    kind: record.kind,
    agent: record.agent,
    role: record.role,
    ...(record.tool === null ? {} : { tool: record.tool }),
    request: record.request,
    encoding: record.encoding,
    targets: [...record.targets],
    keys: [...record.keys],
    ...(record.body === undefined ? {} : { changes: JSON.parse(record.body) as Change[] }),
  };
}
