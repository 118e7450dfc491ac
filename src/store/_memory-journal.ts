// Owns: the journal of one session in memory.
// Must never: hand out what it holds. Changes and results are held as text, bytes are copied in.

import { randomUUID } from "node:crypto";
import { Pacer } from "../text/steps.ts";
import type { Json } from "../value.ts";
import { chunksOf, concat, type Stageable } from "./_chunks.ts";
import { checkCommit } from "./_commit-check.ts";
import { extentsSource, readFrom, type BlobRead } from "./_extents.ts";
import {
  assertStorable,
  encodeRow,
  journalClosed,
  sessionNotFound,
  unknownBlob,
  wrongPosition,
} from "./_checks.ts";
import { blobLost } from "./lost-bytes.ts";
import {
  pruneMemorySession,
  readMemoryAudit,
  verifyMemorySession,
  writeMemoryAudit,
} from "./_memory-upkeep.ts";
import { onAbort } from "./_on-abort.ts";
import { Staging } from "./_staging.ts";
import {
  addRecord,
  hashAtSeq,
  headOf,
  infoOf,
  lastOf,
  matches,
  onceKey,
  journalRecordOf,
  type MemoryResult,
  type MemorySession,
} from "./_memory-session.ts";
import { INLINE_BYTES, fileBlobId, inlineBlobId } from "./chain.ts";
import type {
  Append,
  Appended,
  AuditEntry,
  AuditQuery,
  BlobId,
  Content,
  Journal,
  JournalRecord,
  Key,
  Lease,
  Position,
  RecordQuery,
  SessionInfo,
  Verified,
} from "./journal.ts";
import { TURN } from "./journal.ts";

/** How a store in memory behaves. */
export interface MemoryLimits {
  readonly idempotencyDays: number;
  readonly auditEntries: number;
}

export class MemoryJournal implements Journal {
  readonly id: string;
  readonly genesis: Position;
  readonly #session: MemorySession;
  readonly #limits: MemoryLimits;
  readonly #staging = new Staging();
  readonly #leases = new Set<Lease>();
  readonly #release: () => void;
  #closed = false;

  constructor(session: MemorySession, limits: MemoryLimits, release: () => void) {
    this.id = session.id;
    this.genesis = { seq: 0, hash: session.genesis };
    this.#session = session;
    this.#limits = limits;
    this.#release = release;
  }

  /** Every method goes through here, so that a closed or removed session fails the same everywhere. */
  get #open(): MemorySession {
    if (this.#closed) throw journalClosed();
    if (this.#session.removed) throw sessionNotFound(this.id);
    return this.#session;
  }

  async info(): Promise<SessionInfo> {
    return infoOf(this.#open);
  }

  async head(): Promise<Position> {
    return headOf(this.#open);
  }

  async append(commit: Append): Promise<Appended> {
    const session = this.#open;
    assertStorable(commit);
    const before = session.records.at(-1);
    const usage = { bytes: before?.bytes ?? 0, files: before?.files ?? 0 };
    const verdict = checkCommit(commit, {
      genesis: { seq: 0, hash: session.genesis },
      head: session.records.length,
      usage,
      stored: (agent, once) => session.results.get(onceKey(agent, once)),
      turn: () => {
        const held = session.leases.get(TURN);
        return held !== undefined && held.until > Date.now() ? held.holder : undefined;
      },
      last: (key) => lastOf(session, key),
    });
    if (verdict !== "commit") {
      if (!("replayOf" in verdict)) return verdict;
      const { result, seq } = session.results.get(onceKey(commit.agent, commit.once ?? "")) as MemoryResult;
      return { replay: JSON.parse(result) as Json, at: { seq, hash: hashAtSeq(session, seq) ?? "" } };
    }

    const { time, next } = commit;
    for (const id of [...commit.blobs, ...(next?.blobs ?? [])])
      if (this.#staging.get(id) === undefined && !session.blobs.has(id)) throw unknownBlob();
    const at = addRecord(session, commit, this.#staging);
    const after = next && addRecord(session, { ...next, time }, this.#staging);
    for (const wake of session.watchers) wake();
    return { at, ...(after === undefined ? {} : { next: after }) };
  }

  async replayOf(
    agent: string,
    once: string,
  ): Promise<{ request: string; result: Json; at: Position } | undefined> {
    const session = this.#open;
    const stored = session.results.get(onceKey(agent, once));
    if (stored === undefined) return undefined;
    const { request, result, seq } = stored;
    return { request, result: JSON.parse(result) as Json, at: { seq, hash: hashAtSeq(session, seq) ?? "" } };
  }

  async last(keys: readonly Key[]): Promise<(Position | undefined)[]> {
    const session = this.#open;
    return keys.map((key) => lastOf(session, key));
  }

  async records(query: RecordQuery): Promise<JournalRecord[]> {
    const session = this.#open;
    const found: JournalRecord[] = [];
    const from = Math.max(1, (query.after ?? 0) + 1);
    const to = Math.min(session.records.length, query.upTo ?? Number.MAX_SAFE_INTEGER);
    const seqs = query.key === undefined ? undefined : (session.touched.get(query.key) ?? []);
    const count = seqs === undefined ? to - from + 1 : seqs.length;
    for (let i = 0; i < count && found.length < query.limit; i++) {
      const place = query.newestFirst === true ? count - 1 - i : i;
      const seq = seqs === undefined ? from + place : (seqs[place] ?? 0);
      const record = session.records[seq - 1];
      if (record !== undefined && seq >= from && seq <= to && matches(record, query))
        found.push(journalRecordOf(record));
    }
    return found;
  }

  async *watch(after: number, signal: AbortSignal): AsyncGenerator<Position> {
    const session = this.#open;
    let seen = after;
    let wake = (): void => {};
    const onWake = (): void => wake();
    session.watchers.add(onWake);
    const stopListening = onAbort(signal, onWake);
    try {
      while (!signal.aborted && !this.#closed && !session.removed) {
        const head = headOf(session);
        if (head.seq > seen) {
          seen = head.seq;
          yield head;
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      session.watchers.delete(onWake);
      stopListening();
    }
  }

  async stage(from: Stageable): Promise<BlobId> {
    void this.#open;
    const chunks: Uint8Array[] = [];
    for await (const chunk of chunksOf(from)) chunks.push(chunk);
    const bytes = concat(chunks);
    const id = bytes.length <= INLINE_BYTES ? inlineBlobId(bytes) : fileBlobId();
    this.#staging.put(id, bytes);
    return id;
  }

  async source(content: Content): ReturnType<Journal["source"]> {
    const session = this.#open;
    const opened = new Map<BlobId, BlobRead>();
    for (const [id] of content.extents) {
      if (opened.has(id)) continue;
      const bytes = this.#staging.get(id) ?? session.blobs.get(id)?.bytes;
      if (bytes === undefined) throw blobLost();
      opened.set(id, readFrom(bytes));
    }
    return extentsSource(content, opened, () => opened.clear());
  }

  readonly checkpoint: Journal["checkpoint"] = {
    save: async (at, slice, chunks) => {
      if (hashAtSeq(this.#open, at.seq) !== at.hash) throw wrongPosition(at);
      // The chunks are computed while they are taken.
      const copies = await new Pacer().map(chunks, (chunk) => chunk.slice());
      const session = this.#open;
      const next = session.records[at.seq];
      // A prune has gone past it meanwhile: what comes after it is gone.
      if (next !== undefined && next.body === undefined) return;
      const saved = (session.checkpoints.get(slice) ?? []).filter((one) => one.at.seq !== at.seq);
      saved.push({ at: { seq: at.seq, hash: at.hash }, chunks: copies });
      session.checkpoints.set(
        slice,
        saved.sort((a, b) => a.at.seq - b.at.seq),
      );
    },
    load: async (slice, atOrBefore) => {
      const saved = this.#open.checkpoints.get(slice)?.findLast(({ at }) => at.seq <= atOrBefore);
      if (saved === undefined) return undefined;
      const { at, chunks } = saved;
      return {
        at,
        chunks: (async function* () {
          for (const chunk of chunks) yield chunk.slice();
        })(),
      };
    },
  };

  readonly views: Journal["views"] = {
    load: async (agent) => {
      const view = this.#open.views.get(agent);
      return view === undefined ? undefined : { rev: view.rev, bytes: view.bytes.slice() };
    },
    save: async (agent, rev, bytes) => {
      const { views } = this.#open;
      const now = views.get(agent)?.rev ?? 0;
      if (now !== rev) return { moved: now };
      views.set(agent, { rev: rev + 1, bytes: bytes.slice() });
      return { rev: rev + 1 };
    },
  };

  readonly rows: Journal["rows"] = {
    get: async (name) => {
      const row = this.#open.rows.get(name);
      return row === undefined ? undefined : { rev: row.rev, value: JSON.parse(row.value) as Json };
    },
    set: async (name, rev, value) => {
      const { rows } = this.#open;
      const text = encodeRow(name, value);
      const now = rows.get(name)?.rev ?? 0;
      if (now !== rev) return { moved: now };
      rows.set(name, { rev: rev + 1, value: text });
      return { rev: rev + 1 };
    },
  };

  async lease(name: string, ms: number): Promise<Lease | undefined> {
    const { leases } = this.#open;
    const holder = randomUUID();
    const held = leases.get(name);
    if (held !== undefined && held.until > Date.now()) return undefined;
    leases.set(name, { holder, until: Date.now() + ms });
    const lease: Lease = {
      name,
      holder,
      renew: async (more) => {
        if (this.#closed || leases.get(name)?.holder !== holder) return false;
        leases.set(name, { holder, until: Date.now() + more });
        return true;
      },
      release: async () => {
        this.#leases.delete(lease);
        if (leases.get(name)?.holder === holder) leases.delete(name);
      },
    };
    this.#leases.add(lease);
    return lease;
  }

  async prune(before: number, live: Iterable<BlobId>): Promise<{ bytes: number }> {
    const resultsBefore = Date.now() - this.#limits.idempotencyDays * 86_400_000;
    return { bytes: pruneMemorySession(this.#open, before, new Set(live), resultsBefore) };
  }

  async verify(how: { blobs?: boolean; signal?: AbortSignal } = {}): Promise<Verified> {
    return verifyMemorySession(this.#open, how);
  }

  async audit(batch: readonly AuditEntry[]): Promise<void> {
    writeMemoryAudit(this.#open, batch, this.#limits.auditEntries);
  }

  async audited(query: AuditQuery): Promise<AuditEntry[]> {
    return readMemoryAudit(this.#open, query);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#release();
    this.#staging.clear();
    for (const lease of this.#leases) await lease.release();
    for (const wake of this.#session.watchers) wake();
  }
}
