// Owns: sessions in SQLite files under one private directory.

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { HoldfastError, say } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { badOptions, checkOptions, type OptionKinds } from "../../text/options.ts";
import {
  assertListing,
  assertOpening,
  assertSessionId,
  journalClosed,
  sessionExists,
  sessionNotFound,
  wrongPosition,
} from "../_checks.ts";
import { newGenesis } from "../chain.ts";
import type { Position, SessionInfo, Store, Journal } from "../journal.ts";
import { SqliteJournal, type JournalLimits } from "./_journal.ts";
import { sqlDriver } from "./_db.ts";
import { journalFile, openLayout, type Layout } from "./_layout.ts";
import { withMaintenanceLease } from "./_maintenance-lease.ts";
import { syncDirectory } from "./_create-session.ts";
import { Connections } from "./_connections.ts";
import { failureIn } from "./_failure.ts";
import { lookAtSession } from "./_look.ts";
import { errorOf } from "./_writer-client.ts";

/** Where a store on disk lives and how it behaves. */
export interface SqliteStoreOptions {
  /** Made if missing, readable by its owner only. Never mount it anywhere: a process that writes to it can change all history. */
  readonly directory: string;
  /** Days a stored result can be replayed, 30 by default; older ones go with the next prune, and the same idempotency key then runs anew. */
  readonly idempotencyDays?: number;
  /** Audit entries stored per session, 10,000 by default; the oldest go first. More cost disk. */
  readonly auditEntries?: number;
  /**
   * Sessions whose files are open at once, 64 by default, at least 1; the least recently used ones close theirs, and open them again when
   * used. Fewer cost time where many sessions are in use, more cost file descriptors.
   */
  readonly openJournals?: number;
  /** Bytes of small blobs held in memory, 32 MB by default; 0 holds none. Fewer cost reads from disk. */
  readonly blobCacheBytes?: number;
}

/**
 * Keeps every session as one SQLite file and its large blobs as files. A resolved append is on disk. Several processes may
 * use one directory at once. Throws if the directory cannot be made or was written by another version,
 * `invalid_argument` / `unknown_option` for a misspelt option, and `bad_options` for a number that is not whole or too small.
 *
 * @example const store = sqliteStore({ directory: "/var/lib/holdfast" });
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  checkOptions(say`The options of sqliteStore`, options, OPTIONS);
  if (options?.directory === undefined)
    throw badOptions(say`The options of sqliteStore: directory must be a string`);
  if (options.openJournals === 0)
    throw badOptions(say`The options of sqliteStore: openJournals must be at least 1`);
  return new SqliteStore(options);
}

const OPTIONS: OptionKinds<SqliteStoreOptions> = {
  directory: "string",
  idempotencyDays: "number",
  auditEntries: "number",
  openJournals: "number",
  blobCacheBytes: "number",
};

const STALE_MS = 60 * 60 * 1000;

class SqliteStore implements Store {
  readonly #layout: Layout;
  readonly #limits: JournalLimits;
  readonly #sessions = new Map<string, Connections>();
  readonly #journals = new Set<SqliteJournal>();
  readonly #connected: LRUCache<Connections, true>;
  readonly #blobs: LRUCache<string, Uint8Array>;
  /** Sessions on their way out of the list of connected ones. */
  readonly #leaving = new Map<Connections, Promise<void>>();
  #closed = false;

  constructor(options: SqliteStoreOptions) {
    sqlDriver();
    this.#layout = openLayout(options.directory);
    this.#limits = {
      idempotencyDays: options.idempotencyDays ?? DEFAULT_LIMITS.idempotencyDays,
      auditEntries: options.auditEntries ?? DEFAULT_LIMITS.auditEntries,
    };
    this.#connected = new LRUCache<Connections, true>({
      max: options.openJournals ?? DEFAULT_LIMITS.openJournals,
      dispose: (_, session, why) => {
        if (why === "set") return;
        const leaving = session.disconnect().catch(() => {});
        this.#leaving.set(session, leaving);
        void leaving.then(() => this.#leaving.delete(session));
      },
    });
    this.#blobs = new LRUCache<string, Uint8Array>({
      maxSize: Math.max(1, options.blobCacheBytes ?? DEFAULT_LIMITS.blobCacheBytes),
      sizeCalculation: (bytes) => bytes.length + 128,
    });
    void sweep(this.#layout);
  }

  async open(id: string, how: { create?: boolean; name?: string } = {}): Promise<Journal> {
    this.#assertOpen();
    const directory = this.#directory(id);
    assertOpening(say`open`, how);
    if (how.create === true && !existsSync(journalFile(directory))) await this.#make(id, how.name);
    try {
      return await this.#journal(id);
    } catch (error) {
      if (how.create !== true || !isNotFound(error)) throw error;
      // Removed by a process that ended before its files were gone.
      await this.#discard(directory);
      await this.#make(id, how.name);
      return this.#journal(id);
    }
  }

  async #make(id: string, name: string | undefined): Promise<void> {
    await this.#using(id, (session) =>
      session.ask({
        do: "make",
        making: join(this.#layout.making, randomBytes(12).toString("hex")),
        genesis: newGenesis(),
        name: name ?? null,
        created: Date.now(),
      }),
    );
  }

  async #journal(id: string): Promise<Journal> {
    const session = this.#acquire(id);
    let genesis: string;
    try {
      if (!existsSync(journalFile(session.directory))) throw sessionNotFound(id);
      genesis = await session.read((reader) => reader.genesis);
    } catch (error) {
      await this.#release(session);
      throw error;
    }
    const journal = new SqliteJournal(session, genesis, this.#limits, () => {
      this.#journals.delete(journal);
      return this.#release(session);
    });
    this.#journals.add(journal);
    return journal;
  }

  async list(query: { after?: string; limit?: number } = {}): Promise<SessionInfo[]> {
    this.#assertOpen();
    assertListing(query);
    const { after, limit = Infinity } = query;
    const found: SessionInfo[] = [];
    for (const id of (await readdir(this.#layout.sessions)).sort()) {
      if (found.length >= limit) break;
      if (after !== undefined && id <= after) continue;
      const info = await this.#info(id);
      if (info !== undefined) found.push(info);
    }
    return found;
  }

  /** Undefined for what is not, or no longer, a session that this version can read. */
  async #info(id: string): Promise<SessionInfo | undefined> {
    try {
      assertSessionId(id);
      return await this.#using(id, (session) => session.read((reader) => reader.info(id)));
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      if (SKIPPED.has(error.reason)) return undefined;
      if (DAMAGED.has(error.reason)) return { ...unknownSession(id), damaged: error.reason };
      if (error.reason !== "store_failed") throw error;
      return this.#look(id);
    }
  }

  /** For files that cannot be opened to write. */
  #look(id: string): SessionInfo | undefined {
    try {
      return lookAtSession(id, this.#directory(id));
    } catch (error) {
      const { reason } = errorOf(failureIn(error), String(error));
      return { ...unknownSession(id), [DAMAGED.has(reason) ? "damaged" : "unreadable"]: reason };
    }
  }

  async remove(id: string): Promise<void> {
    this.#assertOpen();
    const directory = this.#directory(id);
    if (!existsSync(journalFile(directory))) throw sessionNotFound(id);
    const session = this.#acquire(id);
    try {
      // From here on every process refuses it, whatever happens to this one.
      await session.ask({ do: "remove" });
      session.markRemoved();
    } finally {
      this.#sessions.delete(id);
      await this.#release(session);
      if (session.isRemoved) await this.#disconnect(session);
    }
    await this.#discard(directory);
  }

  async #discard(directory: string): Promise<void> {
    const aside = join(this.#layout.removed, randomBytes(12).toString("hex"));
    try {
      await rename(directory, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    syncDirectory(this.#layout.sessions);
    await rm(aside, { recursive: true, force: true });
  }

  async fork(id: string, at: Position, into: string, how: { name?: string } = {}): Promise<Journal> {
    this.#assertOpen();
    const target = this.#directory(into);
    assertOpening(say`fork`, how);
    if (!existsSync(journalFile(this.#directory(id)))) throw sessionNotFound(id);
    if (existsSync(journalFile(target))) throw sessionExists(into);
    const made = await this.#using(id, (session) =>
      withMaintenanceLease(session, async () => {
        try {
          const making = join(this.#layout.making, randomBytes(12).toString("hex"));
          const name = how.name ?? null;
          return await session.ask({ do: "fork", at, into: target, making, name, created: Date.now() });
        } catch (error) {
          throw HoldfastError.is(error) && error.reason === "wrong_position" ? wrongPosition(at) : error;
        }
      }),
    );
    if (!made) throw sessionExists(into);
    return this.#journal(into);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await Promise.all([...this.#journals].map((journal) => journal.close()));
    this.#closed = true;
    this.#connected.clear();
    await Promise.all(this.#leaving.values());
    this.#blobs.clear();
  }

  #assertOpen(): void {
    if (this.#closed) throw journalClosed();
  }

  #directory(id: string): string {
    assertSessionId(id);
    return join(this.#layout.sessions, id);
  }

  #acquire(id: string): Connections {
    let session = this.#sessions.get(id);
    if (session === undefined || session.isRemoved) {
      session = new Connections(id, this.#directory(id), this.#connected, this.#blobs);
      this.#sessions.set(id, session);
    }
    session.users++;
    return session;
  }

  /** The last user takes the descriptors along. */
  async #release(session: Connections): Promise<void> {
    session.users--;
    if (session.users > 0) return;
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    session.forgetBlobs();
    await this.#disconnect(session);
  }

  async #disconnect(session: Connections): Promise<void> {
    this.#connected.delete(session);
    await this.#leaving.get(session);
  }

  async #using<T>(id: string, work: (session: Connections) => Promise<T>): Promise<T> {
    const session = this.#acquire(id);
    try {
      return await work(session);
    } finally {
      await this.#release(session);
    }
  }
}

const SKIPPED = new Set(["session_not_found", "bad_session_id"]);
const DAMAGED = new Set(["store_damaged", "not_a_session", "newer_format"]);

function unknownSession(id: string): SessionInfo {
  const never = new Date(0);
  return { id, created: never, updated: never, head: { seq: 0, hash: "" } };
}

function isNotFound(error: unknown): boolean {
  return HoldfastError.is(error) && error.reason === "session_not_found";
}

/** Finishes what processes that ended left over. */
async function sweep(layout: Layout): Promise<void> {
  try {
    for (const name of await readdir(layout.removed))
      await rm(join(layout.removed, name), { recursive: true, force: true });
    for (const name of await readdir(layout.making)) {
      const path = join(layout.making, name);
      if ((await stat(path)).mtimeMs < Date.now() - STALE_MS)
        await rm(path, { recursive: true, force: true });
    }
  } catch {
    // The next store tries again.
  }
}
