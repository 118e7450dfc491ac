// Owns: sessions kept in memory: the whole contract, nothing durable. For tests, short-lived hosts and the browser-free demo.
// Must never: hand out what it keeps. Changes and results are kept as text, bytes are copied in.

import type { Json } from "../value.ts";
import { chunksOf, concat, type Stageable } from "./_chunks.ts";
import { decide } from "./_decide.ts";
import { extentsSource, readFrom, type BlobRead } from "./_extents.ts";
import {
  assertSessionId,
  assertSound,
  blobLost,
  encodeRow,
  journalClosed,
  sessionExists,
  sessionNotFound,
  unknownBlob,
  wrongPosition,
} from "./_sound.ts";
import { Staging } from "./_staging.ts";
import {
  auditMatches,
  forkTape,
  hashAt,
  headOf,
  infoOf,
  lastOf,
  matches,
  newTape,
  onceKey,
  shown,
  touch,
  type Stored,
  type Tape,
} from "./_tape.ts";
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
import { DEFAULT_LIMITS } from "../limits.ts";

export interface MemoryStoreOptions {
  /** Days a stored result can be replayed; older ones go with the next prune. */
  readonly idempotencyDays?: number;
  /** Audit entries kept per session; the oldest go first. */
  readonly auditEntries?: number;
}

/**
 * Keeps sessions in this process only: everything is gone when it ends.
 *
 * @example const journal = await memoryStore().open("demo", { create: true });
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const tapes = new Map<string, Tape>();
  const limits = {
    idempotencyDays: options.idempotencyDays ?? DEFAULT_LIMITS.idempotencyDays,
    auditEntries: options.auditEntries ?? DEFAULT_LIMITS.auditEntries,
  };
  const open = (id: string): Tape => {
    assertSessionId(id);
    const tape = tapes.get(id);
    if (tape === undefined) throw sessionNotFound(id);
    return tape;
  };
  return {
    async open(id, how = {}) {
      assertSessionId(id);
      if (how.create === true && !tapes.has(id)) tapes.set(id, newTape(id, how.name, newGenesis()));
      return new MemoryJournal(open(id), limits);
    },
    async list({ after, limit }) {
      const ids = [...tapes.keys()].sort().filter((id) => after === undefined || id > after);
      return ids.slice(0, limit).map((id) => infoOf(open(id)));
    },
    async remove(id) {
      const tape = open(id);
      tapes.delete(id);
      tape.removed = true;
      for (const wake of tape.watchers) wake();
    },
    async fork(id, at, into, how = {}) {
      const from = open(id);
      assertSessionId(into);
      if (tapes.has(into)) throw sessionExists(into);
      if (hashAt(from, at.seq) !== at.hash) throw wrongPosition(at);
      const tape = forkTape(from, at.seq, into, how.name);
      tapes.set(into, tape);
      return new MemoryJournal(tape, limits);
    },
    async close() {
      for (const tape of tapes.values()) for (const wake of tape.watchers) wake();
    },
  };
}

class MemoryJournal implements Journal {
  readonly id: string;
  readonly genesis: Position;
  readonly #tape: Tape;
  readonly #limits: Required<MemoryStoreOptions>;
  readonly #staging = new Staging();
  readonly #leases = new Set<Lease>();
  #closed = false;

  constructor(tape: Tape, limits: Required<MemoryStoreOptions>) {
    this.id = tape.id;
    this.genesis = { seq: 0, hash: tape.genesis };
    this.#tape = tape;
    this.#limits = limits;
  }

  /** Every method goes through here, so that a closed or removed session answers the same everywhere. */
  get #open(): Tape {
    if (this.#closed) throw journalClosed();
    if (this.#tape.removed) throw sessionNotFound(this.id);
    return this.#tape;
  }

  async info(): Promise<SessionInfo> {
    return infoOf(this.#open);
  }

  async head(): Promise<Position> {
    return headOf(this.#open);
  }

  async append(commit: Append): Promise<Appended> {
    const tape = this.#open;
    assertSound(commit);
    const before = tape.records.at(-1);
    const usage = { bytes: before?.bytes ?? 0, files: before?.files ?? 0 };
    const verdict = decide(commit, {
      genesis: { seq: 0, hash: tape.genesis },
      usage,
      stored: (agent, once) => tape.results.get(onceKey(agent, once)),
      last: (key) => lastOf(tape, key),
    });
    if (verdict !== "keep") {
      if (!("replayOf" in verdict)) return verdict;
      const { result, seq } = tape.results.get(onceKey(commit.agent, commit.once ?? "")) as Stored;
      return { replay: JSON.parse(result) as Json, at: { seq, hash: hashAt(tape, seq) ?? "" } };
    }

    for (const id of commit.blobs)
      if (this.#staging.get(id) === undefined && !tape.blobs.has(id)) throw unknownBlob();
    const body = encodeChanges(commit.changes);
    const result = JSON.stringify(commit.result ?? null);
    const seq = tape.records.length + 1;
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
    const hash = recordHash(headOf(tape).hash, head);
    tape.records.push({
      ...head,
      hash,
      body,
      bytes: usage.bytes + commit.delta.bytes,
      files: usage.files + commit.delta.files,
    });
    for (const key of head.keys) touch(tape, key, seq);
    for (const id of commit.blobs) {
      const kept = tape.blobs.get(id);
      const bytes = kept?.bytes ?? this.#staging.get(id) ?? new Uint8Array();
      tape.blobs.set(id, { bytes, first: kept?.first ?? seq, last: seq });
      this.#staging.drop(id);
    }
    if (commit.once !== undefined)
      tape.results.set(onceKey(commit.agent, commit.once), {
        request: commit.request,
        result,
        seq,
        time: head.time,
      });
    for (const wake of tape.watchers) wake();
    return { at: { seq, hash } };
  }

  async replayOf(
    agent: string,
    once: string,
  ): Promise<{ request: string; result: Json; at: Position } | undefined> {
    const tape = this.#open;
    const stored = tape.results.get(onceKey(agent, once));
    if (stored === undefined) return undefined;
    const { request, result, seq } = stored;
    return { request, result: JSON.parse(result) as Json, at: { seq, hash: hashAt(tape, seq) ?? "" } };
  }

  async last(keys: readonly Key[]): Promise<(Position | undefined)[]> {
    const tape = this.#open;
    return keys.map((key) => lastOf(tape, key));
  }

  async records(query: RecordQuery): Promise<JournalRecord[]> {
    const tape = this.#open;
    const found: JournalRecord[] = [];
    const from = Math.max(1, (query.after ?? 0) + 1);
    const to = Math.min(tape.records.length, query.upTo ?? Number.MAX_SAFE_INTEGER);
    const seqs = query.key === undefined ? undefined : (tape.touched.get(query.key) ?? []);
    const count = seqs === undefined ? to - from + 1 : seqs.length;
    for (let i = 0; i < count && found.length < query.limit; i++) {
      const place = query.newestFirst === true ? count - 1 - i : i;
      const seq = seqs === undefined ? from + place : (seqs[place] ?? 0);
      const record = tape.records[seq - 1];
      if (record !== undefined && seq >= from && seq <= to && matches(record, query))
        found.push(shown(record));
    }
    return found;
  }

  async *watch(after: number, signal: AbortSignal): AsyncGenerator<Position> {
    const tape = this.#open;
    let seen = after;
    let wake = (): void => {};
    const onWake = (): void => wake();
    tape.watchers.add(onWake);
    signal.addEventListener("abort", onWake);
    try {
      while (!signal.aborted && !this.#closed && !tape.removed) {
        const head = headOf(tape);
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
      tape.watchers.delete(onWake);
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
    const tape = this.#open;
    const opened = new Map<BlobId, BlobRead>();
    for (const [id] of content.extents) {
      if (opened.has(id)) continue;
      const bytes = this.#staging.get(id) ?? tape.blobs.get(id)?.bytes;
      if (bytes === undefined) throw blobLost();
      opened.set(id, readFrom(bytes));
    }
    return extentsSource(content, opened, () => opened.clear());
  }

  readonly checkpoint: Journal["checkpoint"] = {
    save: async (at, slice, chunks) => {
      const tape = this.#open;
      if (hashAt(tape, at.seq) !== at.hash) throw wrongPosition(at);
      const saved = (tape.checkpoints.get(slice) ?? []).filter((one) => one.at.seq !== at.seq);
      saved.push({
        at: { seq: at.seq, hash: at.hash },
        chunks: Array.from(chunks, (chunk) => chunk.slice()),
      });
      tape.checkpoints.set(
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
    const holder = Symbol(name);
    const held = leases.get(name);
    if (held !== undefined && held.until > Date.now()) return undefined;
    leases.set(name, { holder, until: Date.now() + ms });
    const lease: Lease = {
      name,
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
    const tape = this.#open;
    const keep = new Set(live);
    let bytes = 0;
    for (const record of tape.records.slice(0, Math.max(0, before - 1))) {
      bytes += record.body?.length ?? 0;
      record.body = undefined;
    }
    for (const [id, blob] of tape.blobs) {
      if (blob.last >= before || keep.has(id)) continue;
      bytes += blob.bytes.length;
      tape.blobs.delete(id);
    }
    for (const [slice, saved] of tape.checkpoints) {
      // The newest one at or below the border is where a replay of what is left starts.
      const first = saved.findLastIndex(({ at }) => at.seq < before);
      for (const { chunks } of saved.slice(0, Math.max(0, first)))
        for (const chunk of chunks) bytes += chunk.length;
      tape.checkpoints.set(slice, saved.slice(Math.max(0, first)));
    }
    const oldest = Date.now() - this.#limits.idempotencyDays * 86_400_000;
    for (const [key, { time }] of tape.results) if (time < oldest) tape.results.delete(key);
    return { bytes };
  }

  async verify(how: { blobs?: boolean; signal?: AbortSignal } = {}): Promise<Verified> {
    const tape = this.#open;
    let previous = tape.genesis;
    let pruned = 0;
    for (const record of tape.records) {
      const { seq, body } = record;
      if (body === undefined) pruned++;
      else if (digest(body) !== record.changes) return { ok: false, seq, what: "changes" };
      if (recordHash(previous, record) !== record.hash) return { ok: false, seq, what: "hash" };
      previous = record.hash;
    }
    if (how.blobs === true)
      for (const [id, { bytes, first }] of tape.blobs)
        if (isInlineBlobId(id) && inlineBlobId(bytes) !== id) return { ok: false, seq: first, what: "blob" };
    return { ok: true, head: headOf(tape), checked: tape.records.length, pruned };
  }

  async audit(batch: readonly AuditEntry[]): Promise<void> {
    const { audit, fold } = this.#open;
    for (const entry of batch) {
      const folded = fold.fold(entry);
      const kept = audit.get(folded.row);
      if ("count" in folded && kept !== undefined)
        audit.set(folded.row, { ...kept, count: kept.count + folded.count, last: folded.last });
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
    for (const wake of this.#tape.watchers) wake();
  }
}
