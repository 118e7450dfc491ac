// Owns: the journal of one session on SQLite: reads here, writes through the writer's thread.

import { randomBytes } from "node:crypto";
import { HoldfastError } from "../../errors.ts";
import { Pacer } from "../../text/steps.ts";
import type { Json } from "../../value.ts";
import { chunksOf, concat, copyOf, type Stageable } from "../_chunks.ts";
import { extentsSource, readFrom, type BlobRead } from "../_extents.ts";
import { assertStorable, encodeRow, journalClosed, sessionNotFound, wrongPosition } from "../_checks.ts";
import { Staging } from "../_staging.ts";
import { isBlobLost } from "../lost-bytes.ts";
import { INLINE_BYTES, digest, encodeChanges, inlineBlobId } from "../chain.ts";
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
  NextRecord,
  Position,
  RecordQuery,
  SessionInfo,
  Verified,
} from "../journal.ts";
import { BlobFiles, type OpenBlob } from "./_blob-files.ts";
import { withMaintenanceLease } from "./_maintenance-lease.ts";
import { readRecords } from "./_read-records.ts";
import type { Connections } from "./_connections.ts";
import { fileChunks, yieldingBetween, reading } from "./_streams.ts";
import { verifyFiles } from "./_verify.ts";
import { watchHead } from "./_watch.ts";
import type { JournalReader, ResultRow } from "./_reader.ts";
import type { Task, TaskResults, WireAppend, WireAppended, WireBlob, WireRecord } from "./_wire.ts";

/** Keys that are looked up at once. */
const LAST_KEYS = 64;
/** A result above this is a blob. */
const RESULT_INLINE = 16 * 1024;

export interface JournalLimits {
  readonly idempotencyDays: number;
  readonly auditEntries: number;
}

export class SqliteJournal implements Journal {
  readonly id: string;
  readonly genesis: Position;
  readonly #session: Connections;
  readonly #limits: JournalLimits;
  readonly #release: () => Promise<void>;
  readonly #staging = new Staging();
  readonly #files: BlobFiles;
  readonly #leases = new Map<string, Lease>();
  /** Commits that carry staged bytes and have no outcome yet. */
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(session: Connections, genesis: string, limits: JournalLimits, release: () => Promise<void>) {
    this.id = session.id;
    this.genesis = { seq: 0, hash: genesis };
    this.#session = session;
    this.#limits = limits;
    this.#release = release;
    this.#files = new BlobFiles(session.directory);
  }

  get #open(): Connections {
    if (this.#closed) throw journalClosed();
    if (this.#session.isRemoved) throw sessionNotFound(this.id);
    return this.#session;
  }

  async info(): Promise<SessionInfo> {
    return this.#present(await this.#open.read((reader) => reader.info(this.id)));
  }

  async head(): Promise<Position> {
    const { seq, hash } = this.#present(await this.#open.read((reader) => reader.head()));
    return { seq, hash };
  }

  #present<T>(found: T | undefined): T {
    if (found !== undefined) return found;
    this.#session.markRemoved();
    throw sessionNotFound(this.id);
  }

  async append(commit: Append): Promise<Appended> {
    const session = this.#open;
    assertStorable(commit);
    const { expect, agent, once, quota } = commit;
    const parts = recordParts(commit, commit.time);
    const next = commit.next && { ...recordParts(commit.next, commit.time), blobs: [...commit.next.blobs] };
    const blobs = new Set(commit.blobs);
    const result = once === undefined ? undefined : await this.#stageResult(commit.result ?? null, blobs);
    const all = new Set([...blobs, ...(next?.blobs ?? [])]);
    await this.#files.settle([...all]);
    // Handing very many keys to the writer's thread copies them at once.
    await new Pacer().step();
    const task: WireAppend = {
      do: "append",
      ...parts,
      expect,
      ...(once === undefined ? {} : { once }),
      ...(commit.turn === undefined ? {} : { turn: commit.turn }),
      quota,
      tool: commit.tool ?? null,
      blobs: Array.from(blobs, (id) => this.#wireBlob(id)),
      result,
      // What the first record brings in is there for the second.
      ...(next && {
        next: { ...next, blobs: next.blobs.map((id) => (blobs.has(id) ? { id } : this.#wireBlob(id))) },
      }),
    };
    const appended = await this.#handOver(task, all);
    if ("replay" in appended) {
      const stored = await this.replayOf(agent, once ?? "");
      // Forgotten meanwhile: then it is a new request.
      return stored === undefined ? this.append(commit) : { replay: stored.result, at: stored.at };
    }
    if ("at" in appended) {
      // The caller goes first: it knows what it wrote, and need not read it back because a watcher was told before it.
      const { at } = appended;
      setImmediate(() => {
        this.#cacheStaged(all);
        session.wake(at);
      });
    }
    return appended;
  }

  /** Hands staged bytes to the writer, with the task that names them. Closing waits until it is known who owns them. */
  #handOver<T extends Extract<Task, { do: "append" | "save checkpoint" }>>(
    task: T,
    blobs: Iterable<BlobId>,
  ): Promise<TaskResults[T["do"]]> {
    const done = this.#handedOver(this.#open.ask(task), blobs);
    this.#underWay.add(done);
    const end = (): void => void this.#underWay.delete(done);
    done.then(end, end);
    return done;
  }

  async #handedOver<R extends WireAppended | null>(asked: Promise<R>, blobs: Iterable<BlobId>): Promise<R> {
    try {
      const result = await asked;
      if (result === null || "at" in result) for (const id of blobs) this.#files.carried(id);
      return result;
    } catch (error) {
      if (HoldfastError.is(error) && error.reason === "outcome_unknown")
        for (const id of blobs) this.#files.doubt(id);
      throw error;
    }
  }

  /** What was just written is read next, more often than not. */
  #cacheStaged(blobs: Iterable<BlobId>): void {
    for (const id of blobs) {
      const bytes = this.#staging.get(id);
      if (bytes !== undefined) this.#session.cacheBlob(id, bytes);
      this.#staging.drop(id);
    }
  }

  async #stageResult(result: Json, blobs: Set<BlobId>): Promise<WireAppend["result"]> {
    const value = JSON.stringify(result);
    if (value.length <= RESULT_INLINE) return { value };
    const blob = await this.stage(new TextEncoder().encode(value));
    blobs.add(blob);
    return { blob };
  }

  async #resultOf(stored: ResultRow): Promise<Json> {
    if ("value" in stored) return stored.value;
    const bytes = await this.#wholeBlob(stored.blob);
    return JSON.parse(new TextDecoder().decode(bytes)) as Json;
  }

  async #wholeBlob(id: BlobId): Promise<Uint8Array> {
    const inline = this.#staging.get(id) ?? (await this.#session.inlineBlob(id));
    if (inline !== undefined) return inline;
    const file = await this.#openFile(id);
    try {
      return concat([...fileChunks(file.read)]);
    } finally {
      file.close();
    }
  }

  async #openFile(id: BlobId): Promise<OpenBlob> {
    try {
      return this.#files.open(id);
    } catch (error) {
      // The bytes of a session that was removed are not lost: there is no such session.
      if (isBlobLost(error)) await this.#session.assertThere();
      throw error;
    }
  }

  #wireBlob(id: BlobId): WireBlob {
    const bytes = this.#staging.get(id);
    if (bytes !== undefined) return { id, bytes };
    const size = this.#files.sizeOf(id);
    return size === undefined ? { id } : { id, size };
  }

  async replayOf(
    agent: string,
    once: string,
  ): Promise<{ request: string; result: Json; at: Position } | undefined> {
    return this.#named(
      (reader) => reader.stored(agent, once),
      async ({ request, at, result }) => ({ request, result: await this.#resultOf(result), at }),
    );
  }

  async last(keys: readonly Key[]): Promise<(Position | undefined)[]> {
    const session = this.#open;
    const pace = new Pacer();
    const found: (Position | undefined)[] = [];
    for (let at = 0; at < keys.length; at += LAST_KEYS) {
      const some = keys.slice(at, at + LAST_KEYS);
      found.push(...(await session.read((reader) => some.map((key) => reader.last(key)))));
      await pace.step();
    }
    return found;
  }

  async records(query: RecordQuery): Promise<JournalRecord[]> {
    const session = this.#open;
    return session.read(() => readRecords(query, () => session.reader()));
  }

  watch(after: number, signal: AbortSignal): AsyncGenerator<Position> {
    return watchHead(this.#open, after, signal, () => this.#closed);
  }

  async stage(from: Stageable): Promise<BlobId> {
    void this.#open;
    if (from instanceof Uint8Array && from.length <= INLINE_BYTES) return this.#stageInline(copyOf(from));
    const chunks = chunksOf(from);
    const head: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) break;
      head.push(next.value);
      size += next.value.length;
      if (size > INLINE_BYTES) return this.#files.stage(head, chunks);
    }
    return this.#stageInline(head.length === 1 ? (head[0] as Uint8Array) : concat(head));
  }

  #stageInline(bytes: Uint8Array): BlobId {
    const id = inlineBlobId(bytes);
    this.#staging.put(id, bytes);
    return id;
  }

  /** Small blobs are held in memory and files are open from here on, so what is pruned later can still be read. */
  async source(content: Content): ReturnType<Journal["source"]> {
    const session = this.#open;
    const opened = new Map<BlobId, BlobRead>();
    const closers: (() => void)[] = [];
    const close = (): void => {
      for (const closer of closers.splice(0)) closer();
      opened.clear();
    };
    try {
      for (const [id] of content.extents) {
        if (opened.has(id)) continue;
        const bytes = this.#staging.get(id) ?? (await session.inlineBlob(id));
        if (bytes !== undefined) {
          opened.set(id, readFrom(bytes));
          continue;
        }
        const file = await this.#openFile(id);
        opened.set(id, file.read);
        closers.push(() => file.close());
      }
      return extentsSource(content, opened, close);
    } catch (error) {
      close();
      throw error;
    }
  }

  readonly checkpoint: Journal["checkpoint"] = {
    save: async (at, slice, chunks) => {
      const blob = await this.stage(yieldingBetween(chunks));
      await this.#files.settle([blob]);
      try {
        await this.#handOver({ do: "save checkpoint", at, slice, blob: this.#wireBlob(blob) }, [blob]);
      } catch (error) {
        throw HoldfastError.is(error) && error.reason === "wrong_position" ? wrongPosition(at) : error;
      }
      this.#staging.drop(blob);
    },
    load: async (slice, atOrBefore) => {
      return this.#named(
        (reader) => reader.checkpoint(slice, atOrBefore),
        async ({ at, blob, size }) => {
          const source = await this.source({ size, extents: [[blob, 0, size]] });
          return { at, chunks: reading(source) };
        },
      );
    },
  };

  /**
   * Reads the bytes that a row names. Another process may have taken both away after the row was found: it is looked up again, and
   * only bytes that are missing twice, with the row still there, are lost.
   */
  async #named<R, T>(
    find: (reader: JournalReader) => R | undefined,
    read: (row: R) => Promise<T>,
  ): Promise<T | undefined> {
    for (let missed: string | undefined; ;) {
      const row = await this.#open.read(find);
      if (row === undefined) return undefined;
      const text = JSON.stringify(row);
      try {
        return await read(row);
      } catch (error) {
        if (!isBlobLost(error) || missed === text) throw error;
        missed = text;
      }
    }
  }

  readonly views: Journal["views"] = {
    load: async (agent) => this.#open.read((reader) => reader.view(agent)),
    save: async (agent, rev, bytes) =>
      this.#open.ask({ do: "save view", agent, rev, bytes: new Uint8Array(bytes) }),
  };

  readonly rows: Journal["rows"] = {
    get: async (name) => this.#open.read((reader) => reader.row(name)),
    set: async (name, rev, value) =>
      this.#open.ask({ do: "set row", name, rev, value: encodeRow(name, value) }),
  };

  async lease(name: string, ms: number): Promise<Lease | undefined> {
    const session = this.#open;
    const holder = randomBytes(12).toString("base64url");
    if (!(await session.ask({ do: "take lease", name, holder, ms }))) return undefined;
    const lease: Lease = {
      name,
      holder,
      renew: async (more) => !this.#closed && session.ask({ do: "renew lease", name, holder, ms: more }),
      release: async () => {
        if (this.#leases.delete(holder)) await session.ask({ do: "drop lease", name, holder });
      },
    };
    this.#leases.set(holder, lease);
    return lease;
  }

  async prune(before: number, live: Iterable<BlobId>): Promise<{ bytes: number }> {
    const session = this.#open;
    const resultsBefore = Date.now() - this.#limits.idempotencyDays * 86_400_000;
    return withMaintenanceLease(session, async () => {
      const freed = await session.ask({ do: "prune", before, live: [...live], resultsBefore });
      session.forgetBlobs();
      return freed;
    });
  }

  async verify(how: { blobs?: boolean; signal?: AbortSignal } = {}): Promise<Verified> {
    const session = this.#open;
    return session.read(() => verifyFiles(session.directory, how, () => session.reader()));
  }

  async audit(batch: readonly AuditEntry[]): Promise<void> {
    await this.#open.ask({ do: "audit", batch, most: this.#limits.auditEntries });
  }

  async audited(query: AuditQuery): Promise<AuditEntry[]> {
    return this.#open.ask({ do: "audited", query });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
    this.#staging.clear();
    this.#files.forgetAll();
    // Who waits for a lease need not wait for its time to run out.
    for (const lease of this.#leases.values()) await lease.release().catch(() => {});
    this.#session.wake();
    await this.#release();
  }
}

/** What is written of a record, computed and copied at once. */
function recordParts(
  { request, kind, agent, role, encoding, delta, touch, targets, changes }: NextRecord,
  time: Date,
): Omit<WireRecord, "blobs"> {
  const text = encodeChanges(changes);
  return {
    request,
    kind,
    agent,
    role,
    encoding,
    delta,
    time: time.getTime(),
    tool: null,
    targets: [...targets],
    keys: [...new Set(touch)],
    changes: text,
    digest: digest(text),
  };
}
