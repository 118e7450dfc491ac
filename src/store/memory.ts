// Owns: sessions in memory: the whole contract, nothing durable. For tests, short-lived hosts and the browser-free demo.
// Must never: hand out what it holds. Changes and results are held as text, bytes are copied in.

import { randomUUID } from "node:crypto";
import type { Json } from "../value.ts";
import { chunksOf, concat, type Stageable } from "./_chunks.ts";
import { checkCommit } from "./_commit-check.ts";
import { extentsSource, readFrom, type BlobRead } from "./_extents.ts";
import {
  assertSessionId,
  assertStorable,
  blobLost,
  encodeRow,
  journalClosed,
  sessionExists,
  sessionNotFound,
  unknownBlob,
  wrongPosition,
} from "./_checks.ts";
import { Staging } from "./_staging.ts";
import {
  auditMatches,
  forkMemorySession,
  hashAtSeq,
  headOf,
  infoOf,
  lastOf,
  matches,
  newMemorySession,
  onceKey,
  recordOf,
  touch,
  type StoredResult,
  type MemorySession,
} from "./_memory-session.ts";
import {
  INLINE_BYTES,
  digest,
  encodeChanges,
  fileBlobId,
  inlineBlobId,
  isInlineBlobId,
  newGenesis,
  recordHash,
  type RecordHead,
} from "./chain.ts";
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
  Store,
  Verified,
} from "./journal.ts";
import { TURN } from "./journal.ts";
import { DEFAULT_LIMITS } from "../limits.ts";

export interface MemoryStoreOptions {
  /** Days a stored result can be replayed; older ones go with the next prune. */
  readonly idempotencyDays?: number;
  /** Audit entries found per session; the oldest go first. */
  readonly auditEntries?: number;
}

/**
 * Keeps sessions in this process only: everything is gone when it ends.
 *
 * @example const journal = await memoryStore().open("demo", { create: true });
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const sessions = new Map<string, MemorySession>();
  const limits = {
    idempotencyDays: options.idempotencyDays ?? DEFAULT_LIMITS.idempotencyDays,
    auditEntries: options.auditEntries ?? DEFAULT_LIMITS.auditEntries,
  };
  const open = (id: string): MemorySession => {
    assertSessionId(id);
    const session = sessions.get(id);
    if (session === undefined) throw sessionNotFound(id);
    return session;
  };
  return {
    async open(id, how = {}) {
      assertSessionId(id);
      if (how.create === true && !sessions.has(id))
        sessions.set(id, newMemorySession(id, how.name, newGenesis()));
      return new MemoryJournal(open(id), limits);
    },
    async list({ after, limit }) {
      const ids = [...sessions.keys()].sort().filter((id) => after === undefined || id > after);
      return ids.slice(0, limit).map((id) => infoOf(open(id)));
    },
    async remove(id) {
      const session = open(id);
      sessions.delete(id);
      session.removed = true;
      for (const wake of session.watchers) wake();
    },
    async fork(id, at, into, how = {}) {
      const from = open(id);
      assertSessionId(into);
      if (sessions.has(into)) throw sessionExists(into);
      if (hashAtSeq(from, at.seq) !== at.hash) throw wrongPosition(at);
      const session = forkMemorySession(from, at.seq, into, how.name);
      sessions.set(into, session);
      return new MemoryJournal(session, limits);
    },
    async close() {
      for (const session of sessions.values()) for (const wake of session.watchers) wake();
    },
  };
}

class MemoryJournal implements Journal {
  readonly id: string;
  readonly genesis: Position;
  readonly #session: MemorySession;
  readonly #limits: Required<MemoryStoreOptions>;
  readonly #staging = new Staging();
  readonly #leases = new Set<Lease>();
  #closed = false;

  constructor(session: MemorySession, limits: Required<MemoryStoreOptions>) {
    this.id = session.id;
    this.genesis = { seq: 0, hash: session.genesis };
    this.#session = session;
    this.#limits = limits;
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
      const { result, seq } = session.results.get(onceKey(commit.agent, commit.once ?? "")) as StoredResult;
      return { replay: JSON.parse(result) as Json, at: { seq, hash: hashAtSeq(session, seq) ?? "" } };
    }

    for (const id of commit.blobs)
      if (this.#staging.get(id) === undefined && !session.blobs.has(id)) throw unknownBlob();
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
      bytes: usage.bytes + commit.delta.bytes,
      files: usage.files + commit.delta.files,
    });
    for (const key of head.keys) touch(session, key, seq);
    for (const id of commit.blobs) {
      const found = session.blobs.get(id);
      const bytes = found?.bytes ?? this.#staging.get(id) ?? new Uint8Array();
      session.blobs.set(id, { bytes, first: found?.first ?? seq, last: seq });
      this.#staging.drop(id);
    }
    if (commit.once !== undefined)
      session.results.set(onceKey(commit.agent, commit.once), {
        request: commit.request,
        result,
        seq,
        time: head.time,
      });
    for (const wake of session.watchers) wake();
    return { at: { seq, hash } };
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
        found.push(recordOf(record));
    }
    return found;
  }

  async *watch(after: number, signal: AbortSignal): AsyncGenerator<Position> {
    const session = this.#open;
    let seen = after;
    let wake = (): void => {};
    const onWake = (): void => wake();
    session.watchers.add(onWake);
    signal.addEventListener("abort", onWake);
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
      signal.removeEventListener("abort", onWake);
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
      const session = this.#open;
      if (hashAtSeq(session, at.seq) !== at.hash) throw wrongPosition(at);
      const saved = (session.checkpoints.get(slice) ?? []).filter((one) => one.at.seq !== at.seq);
      saved.push({
        at: { seq: at.seq, hash: at.hash },
        chunks: Array.from(chunks, (chunk) => chunk.slice()),
      });
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
    const session = this.#open;
    const alive = new Set(live);
    let bytes = 0;
    for (const record of session.records.slice(0, Math.max(0, before - 1))) {
      bytes += record.body?.length ?? 0;
      record.body = undefined;
    }
    for (const [id, blob] of session.blobs) {
      if (blob.last >= before || alive.has(id)) continue;
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
    const oldest = Date.now() - this.#limits.idempotencyDays * 86_400_000;
    for (const [key, { time }] of session.results) if (time < oldest) session.results.delete(key);
    return { bytes };
  }

  async verify(how: { blobs?: boolean; signal?: AbortSignal } = {}): Promise<Verified> {
    const session = this.#open;
    let previous = session.genesis;
    let pruned = 0;
    for (const record of session.records) {
      const { seq, body } = record;
      if (body === undefined) pruned++;
      else if (digest(body) !== record.changes) return { ok: false, seq, what: "changes" };
      if (recordHash(previous, record) !== record.hash) return { ok: false, seq, what: "hash" };
      previous = record.hash;
    }
    if (how.blobs === true)
      for (const [id, { bytes, first }] of session.blobs)
        if (isInlineBlobId(id) && inlineBlobId(bytes) !== id) return { ok: false, seq: first, what: "blob" };
    return { ok: true, head: headOf(session), checked: session.records.length, pruned };
  }

  async audit(batch: readonly AuditEntry[]): Promise<void> {
    const { audit, fold } = this.#open;
    for (const entry of batch) {
      const folded = fold.fold(entry);
      const found = audit.get(folded.row);
      if ("count" in folded && found !== undefined)
        audit.set(folded.row, { ...found, count: found.count + folded.count, last: folded.last });
      // Without a row: a new entry, or one whose row has aged out meanwhile.
      else audit.set(folded.row, { ...entry, targets: [...entry.targets] });
    }
    for (const row of audit.keys()) {
      if (audit.size <= this.#limits.auditEntries) break;
      audit.delete(row);
    }
  }

  async audited(query: AuditQuery): Promise<AuditEntry[]> {
    const found: AuditEntry[] = [];
    for (const entry of [...this.#open.audit.values()].reverse()) {
      if (found.length >= query.limit) break;
      if (auditMatches(entry, query)) found.push(entry);
    }
    return found;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#staging.clear();
    for (const lease of this.#leases) await lease.release();
    for (const wake of this.#session.watchers) wake();
  }
}
