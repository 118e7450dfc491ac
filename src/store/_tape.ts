// Owns: what a session in memory is made of, and the questions that are asked of it.

import { AuditFold } from "./_audit-fold.ts";
import type { RecordHead } from "./chain.ts";
import type {
  AuditEntry,
  AuditQuery,
  BlobId,
  Change,
  JournalRecord,
  Key,
  Position,
  RecordQuery,
  SessionInfo,
} from "./journal.ts";

export interface Kept extends RecordHead {
  readonly hash: string;
  /** The text of the changes; undefined once pruned. */
  body: string | undefined;
  /** What the session holds after this record. */
  readonly bytes: number;
  readonly files: number;
}

export interface Stored {
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
export interface Tape {
  readonly id: string;
  readonly name: string | undefined;
  readonly created: Date;
  readonly genesis: string;
  /** `records[i]` has seq i + 1. */
  readonly records: Kept[];
  /** The seqs of the records that touched a key, rising. */
  readonly touched: Map<Key, number[]>;
  readonly results: Map<string, Stored>;
  readonly blobs: Map<BlobId, Blob>;
  readonly checkpoints: Map<string, { readonly at: Position; readonly chunks: readonly Uint8Array[] }[]>;
  readonly views: Map<string, { readonly rev: number; readonly bytes: Uint8Array }>;
  readonly rows: Map<string, { readonly rev: number; readonly value: string }>;
  readonly leases: Map<string, { readonly holder: symbol; readonly until: number }>;
  readonly audit: Map<number, AuditEntry>;
  readonly fold: AuditFold;
  readonly watchers: Set<() => void>;
  removed: boolean;
}

export function newTape(id: string, name: string | undefined, genesis: string): Tape {
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

export function forkTape(from: Tape, seq: number, into: string, name?: string): Tape {
  const tape = newTape(into, name, from.genesis);
  for (const record of from.records.slice(0, seq)) {
    tape.records.push({ ...record });
    for (const key of record.keys) touch(tape, key, record.seq);
  }
  for (const [key, stored] of from.results) if (stored.seq <= seq) tape.results.set(key, stored);
  for (const [id, blob] of from.blobs)
    if (blob.first <= seq) tape.blobs.set(id, { ...blob, last: Math.min(blob.last, seq) });
  for (const [slice, saved] of from.checkpoints)
    tape.checkpoints.set(
      slice,
      saved.filter(({ at }) => at.seq <= seq),
    );
  return tape;
}

export function touch(tape: Tape, key: Key, seq: number): void {
  const seqs = tape.touched.get(key);
  if (seqs === undefined) tape.touched.set(key, [seq]);
  else seqs.push(seq);
}

export function hashAt(tape: Tape, seq: number): string | undefined {
  return seq === 0 ? tape.genesis : tape.records[seq - 1]?.hash;
}

export function headOf(tape: Tape): Position {
  const seq = tape.records.length;
  return { seq, hash: hashAt(tape, seq) ?? "" };
}

export function infoOf(tape: Tape): SessionInfo {
  const last = tape.records.at(-1);
  return {
    id: tape.id,
    ...(tape.name === undefined ? {} : { name: tape.name }),
    created: tape.created,
    updated: last === undefined ? tape.created : new Date(last.time),
    head: headOf(tape),
  };
}

export function onceKey(agent: string, once: string): string {
  return JSON.stringify([agent, once]);
}

export function lastOf(tape: Tape, key: Key): Position | undefined {
  const seq = tape.touched.get(key)?.at(-1);
  return seq === undefined ? undefined : { seq, hash: hashAt(tape, seq) ?? "" };
}

export function matches(record: Kept, query: RecordQuery): boolean {
  return (
    (query.agent === undefined || query.agent === record.agent) &&
    (query.tool === undefined || query.tool === record.tool) &&
    (query.kind === undefined || query.kind === record.kind) &&
    (query.since === undefined || query.since.getTime() <= record.time) &&
    (query.until === undefined || query.until.getTime() > record.time)
  );
}

export function auditMatches(entry: AuditEntry, query: AuditQuery): boolean {
  return (
    (query.agent === undefined || query.agent === entry.agent) &&
    (query.tool === undefined || query.tool === entry.tool) &&
    (query.outcome === undefined || query.outcome === entry.outcome) &&
    (query.since === undefined || query.since.getTime() <= entry.last.getTime()) &&
    (query.until === undefined || query.until.getTime() > entry.time.getTime())
  );
}

export function shown(record: Kept): JournalRecord {
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
