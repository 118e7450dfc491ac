// Owns: what waits to be written to the audit: an entry for every call, refusals under flood counted into one.
// Must never: delay a call, or grow with the number of calls.

import type { AuditEntry, Journal } from "../store/journal.ts";
import type { Log } from "./log.ts";

const FLUSH_MS = 1_000;
const MOST_WAITING = 5_000;

type Waiting = { -readonly [K in keyof AuditEntry]: AuditEntry[K] };

export class AuditTrail {
  readonly #journal: Journal;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  /** Refusals that wait, by agent, tool, code and reason. */
  #refusals = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #isClosed = false;

  constructor(journal: Journal, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  add(entry: AuditEntry): void {
    if (this.#isClosed) return;
    const key = this.#foldKey(entry);
    const same = key === undefined ? undefined : this.#refusals.get(key);
    if (same !== undefined) {
      same.count += entry.count;
      same.last = entry.last;
      return;
    }
    this.#waiting.push(entry);
    if (key !== undefined) this.#refusals.set(key, entry);
    // Calls that never let a timer run, or come from ever new agents, must not make it grow.
    if (this.#waiting.length >= MOST_WAITING && !this.#isFlushing) {
      void this.flush();
      return;
    }
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Successes and internal errors are entries of their own, until so many wait that even they are counted together. */
  #foldKey({ agent, tool, outcome, reason, reference }: AuditEntry): string | undefined {
    const alone =
      reference !== undefined || outcome === "ok" || outcome === "replayed" || outcome === "dry_run";
    if (alone && this.#waiting.length < MOST_WAITING) return undefined;
    return `${agent}\n${tool}\n${outcome}\n${reason ?? ""}`;
  }

  /** Writes what waits. A failure goes to the log: an audit that cannot be written must not stop the work. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    if (batch.length > 0) {
      this.#waiting = [];
      this.#refusals = new Map();
      this.#flushing = this.#flushing.then(() => this.#write(batch));
    }
    return this.#flushing;
  }

  /** Writes what waits. What comes later is a call of a closed session, which has no audit. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.flush();
  }

  async #write(batch: readonly AuditEntry[]): Promise<void> {
    this.#isFlushing = true;
    try {
      await this.#journal.audit(batch);
    } catch (cause) {
      this.#log.error("the audit could not be written", { entries: batch.length, cause });
    } finally {
      this.#isFlushing = false;
    }
  }
}
