// Owns: the upkeep of a session in memory: prune, verification and the audit.

import { Pacer, throwIfAborted } from "../text/steps.ts";
import { digest, inlineBlobId, isInlineBlobId, recordHash } from "./chain.ts";
import type { AuditEntry, AuditQuery, BlobId, Verified } from "./journal.ts";
import { headOf, type MemorySession } from "./_memory-session.ts";

/** Returns the bytes that were freed. */
export function pruneMemorySession(
  session: MemorySession,
  before: number,
  live: ReadonlySet<BlobId>,
  resultsBefore: number,
): number {
  let bytes = 0;
  for (const record of session.records.slice(0, Math.max(0, before - 1))) {
    bytes += record.body?.length ?? 0;
    record.body = undefined;
  }
  for (const [id, blob] of session.blobs) {
    if (blob.last >= before || live.has(id)) continue;
    bytes += blob.bytes.length;
    session.blobs.delete(id);
  }
  for (const [slice, saved] of session.checkpoints) {
    // The newest one at or below the border is where a replay of what is left starts.
    const first = saved.findLastIndex(({ at }) => at.seq < before);
    for (const { chunks } of saved.slice(0, Math.max(0, first)))
      for (const chunk of chunks) bytes += chunk.length;
    session.checkpoints.set(slice, saved.slice(Math.max(0, first)));
  }
  for (const [key, { time }] of session.results) if (time < resultsBefore) session.results.delete(key);
  return bytes;
}

/** Checks the records that are there when it begins. */
export async function verifyMemorySession(
  session: MemorySession,
  how: { readonly blobs?: boolean; readonly signal?: AbortSignal },
): Promise<Verified> {
  throwIfAborted(how.signal);
  const pace = new Pacer(how.signal);
  const head = headOf(session);
  let previous = session.genesis;
  let pruned = 0;
  for (const record of session.records.slice(0, head.seq)) {
    await pace.step();
    const { seq, body } = record;
    if (body === undefined) pruned++;
    else if (digest(body) !== record.changes) return { ok: false, seq, what: "changes" };
    if (recordHash(previous, record) !== record.hash) return { ok: false, seq, what: "hash" };
    previous = record.hash;
  }
  if (how.blobs === true)
    for (const [id, { bytes, first }] of session.blobs) {
      await pace.step();
      if (isInlineBlobId(id) && inlineBlobId(bytes) !== id) return { ok: false, seq: first, what: "blob" };
    }
  return { ok: true, head, checked: head.seq, pruned };
}

/** The oldest entries go first. */
export function writeMemoryAudit(session: MemorySession, batch: readonly AuditEntry[], most: number): void {
  const { audit, fold } = session;
  for (const entry of batch) {
    const folded = fold.fold(entry);
    const found = audit.get(folded.row);
    if ("count" in folded && found !== undefined)
      audit.set(folded.row, { ...found, count: found.count + folded.count, last: folded.last });
    // Without a row: a new entry, or one whose row has aged out meanwhile.
    else audit.set(folded.row, { ...entry, targets: [...entry.targets] });
  }
  for (const row of audit.keys()) {
    if (audit.size <= most) break;
    audit.delete(row);
  }
}

export function readMemoryAudit(session: MemorySession, query: AuditQuery): AuditEntry[] {
  const found: AuditEntry[] = [];
  for (const entry of [...session.audit.values()].reverse()) {
    if (found.length >= query.limit) break;
    if (auditMatches(entry, query)) found.push(entry);
  }
  return found;
}

function auditMatches(entry: AuditEntry, query: AuditQuery): boolean {
  return (
    (query.agent === undefined || query.agent === entry.agent) &&
    (query.tool === undefined || query.tool === entry.tool) &&
    (query.outcome === undefined || query.outcome === entry.outcome) &&
    (query.since === undefined || query.since.getTime() <= entry.last.getTime()) &&
    (query.until === undefined || query.until.getTime() > entry.time.getTime())
  );
}
