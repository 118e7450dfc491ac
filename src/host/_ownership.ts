// Owns: who may work on a mirror: one caller after another in this process, one process at a time.
// Must never: keep a mirror from others while there is nothing to do.

import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError, say } from "../errors.ts";
import type { Journal, Lease } from "../store/journal.ts";

/** A process that dies, or stalls, loses the mirror after this time. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
/** Kept for the next piece of work, which mostly comes at once. */
const LINGER_MS = 200;
/** After so long another process gets its chance. */
const FAIR_MS = 1_000;
const PAUSE_MS = 20;
const WAIT_MS = 120_000;

export interface OwnershipParts {
  readonly journal: Journal;
  readonly name: string;
  /** Puts down what the next owner has to know. */
  readonly release: () => Promise<void>;
}

/** What a piece of work is told. */
export interface Owned {
  /** Another process may have been the owner since this one last was. */
  readonly isFresh: boolean;
  /** Throws `conflict` / `mirror_lost` when another process may have taken over. */
  readonly check: () => void;
}

export class Ownership {
  readonly #parts: OwnershipParts;
  #last: Promise<unknown> = Promise.resolve();
  #lease: Lease | undefined;
  #since = 0;
  #renewed = 0;
  #renewal: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /** Runs work as the owner, after all that was asked for before. */
  run<T>(work: (owned: Owned) => Promise<T>): Promise<T> {
    return this.#queue(async () => {
      clearTimeout(this.#linger);
      const isFresh = await this.#acquire();
      try {
        return await work({ isFresh, check: () => this.#check() });
      } finally {
        this.#linger = setTimeout(() => void this.release().catch(() => {}), LINGER_MS);
        this.#linger.unref();
      }
    });
  }

  /** Gives the mirror to others; the next piece of work takes it again. */
  release(): Promise<void> {
    return this.#queue(() => this.#drop());
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }

  /** Is this process the owner anew? */
  async #acquire(): Promise<boolean> {
    const now = performance.now();
    if (this.#isHeld() && now - this.#since < FAIR_MS) return false;
    if (this.#lease !== undefined) {
      await this.#drop();
      await sleep(PAUSE_MS);
    }
    for (const until = now + WAIT_MS; performance.now() < until; await sleep(PAUSE_MS)) {
      const lease = await this.#parts.journal.lease(this.#parts.name, LEASE_MS);
      if (lease === undefined) continue;
      this.#lease = lease;
      this.#since = this.#renewed = performance.now();
      this.#renewal = setInterval(() => void this.#renew(lease), RENEW_MS);
      this.#renewal.unref();
      return true;
    }
    throw new HoldfastError(
      "conflict",
      "mirror_busy",
      say`Another process has been working on this directory all the time. Try again later.`,
    );
  }

  async #renew(lease: Lease): Promise<void> {
    const asked = performance.now();
    const isOurs = await lease.renew(LEASE_MS).catch(() => false);
    if (this.#lease !== lease) return;
    if (isOurs) this.#renewed = asked;
    else this.#forget();
  }

  #isHeld(): boolean {
    return this.#lease !== undefined && performance.now() - this.#renewed < LEASE_MS;
  }

  #check(): void {
    if (this.#isHeld()) return;
    this.#forget();
    throw new HoldfastError(
      "conflict",
      "mirror_lost",
      say`Another process has taken over this directory. Try again: what is done already stays.`,
    );
  }

  #forget(): void {
    clearInterval(this.#renewal);
    this.#lease = undefined;
  }

  async #drop(): Promise<void> {
    clearTimeout(this.#linger);
    const lease = this.#lease;
    if (lease === undefined) return;
    try {
      if (this.#isHeld()) await this.#parts.release();
    } finally {
      this.#forget();
      await lease.release();
    }
  }
}
