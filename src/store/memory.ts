// Owns: sessions in memory: the whole contract, nothing durable. For tests, short-lived hosts and the browser-free demo.

import { say } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { checkOptions, type OptionKinds } from "../text/options.ts";
import {
  assertListing,
  assertOpening,
  assertSessionId,
  journalClosed,
  sessionExists,
  sessionNotFound,
  wrongPosition,
} from "./_checks.ts";
import { MemoryJournal } from "./_memory-journal.ts";
import {
  forkMemorySession,
  hashAtSeq,
  infoOf,
  newMemorySession,
  type MemorySession,
} from "./_memory-session.ts";
import { newGenesis } from "./chain.ts";
import type { Store } from "./journal.ts";

/** How long a store in memory keeps what it keeps beside the records. */
export interface MemoryStoreOptions {
  /** Days a stored result can be replayed, 30 by default; older ones go with the next prune, and the same idempotency key then runs anew. */
  readonly idempotencyDays?: number;
  /** Audit entries found per session, 10,000 by default; the oldest go first. Each costs memory. */
  readonly auditEntries?: number;
}

const OPTIONS: OptionKinds<MemoryStoreOptions> = { idempotencyDays: "number", auditEntries: "number" };

/**
 * Keeps sessions in this process only: everything is gone when it ends. Costs memory for all history and content. Throws
 * `invalid_argument` / `unknown_option` for a misspelt option, and `bad_options` for a number that is not whole or below 0.
 *
 * @example const journal = await memoryStore().open("demo", { create: true });
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions(say`The options of memoryStore`, options, OPTIONS);
  const sessions = new Map<string, MemorySession>();
  const journals = new Set<MemoryJournal>();
  let isClosed = false;
  const limits = {
    idempotencyDays: options.idempotencyDays ?? DEFAULT_LIMITS.idempotencyDays,
    auditEntries: options.auditEntries ?? DEFAULT_LIMITS.auditEntries,
  };
  const assertOpen = (): void => {
    if (isClosed) throw journalClosed();
  };
  const sessionOf = (id: string): MemorySession => {
    assertOpen();
    assertSessionId(id);
    const session = sessions.get(id);
    if (session === undefined) throw sessionNotFound(id);
    return session;
  };
  const journalOf = (session: MemorySession): MemoryJournal => {
    const journal = new MemoryJournal(session, limits, () => journals.delete(journal));
    journals.add(journal);
    return journal;
  };
  return {
    isVolatile: true,
    async open(id, how = {}) {
      assertOpen();
      assertSessionId(id);
      assertOpening(say`open`, how);
      if (how.create === true && !sessions.has(id))
        sessions.set(id, newMemorySession(id, how.name, newGenesis()));
      return journalOf(sessionOf(id));
    },
    async list(query = {}) {
      assertOpen();
      assertListing(query);
      const { after, limit } = query;
      const ids = [...sessions.keys()].sort().filter((id) => after === undefined || id > after);
      return ids.slice(0, limit).map((id) => infoOf(sessionOf(id)));
    },
    async remove(id) {
      const session = sessionOf(id);
      sessions.delete(id);
      session.removed = true;
      for (const wake of session.watchers) wake();
    },
    async fork(id, at, into, how = {}) {
      const from = sessionOf(id);
      assertSessionId(into);
      assertOpening(say`fork`, how);
      if (sessions.has(into)) throw sessionExists(into);
      if (hashAtSeq(from, at.seq) !== at.hash) throw wrongPosition(at);
      const session = forkMemorySession(from, at.seq, into, how.name);
      sessions.set(into, session);
      return journalOf(session);
    },
    async close() {
      await Promise.all([...journals].map((journal) => journal.close()));
      isClosed = true;
    },
  };
}
